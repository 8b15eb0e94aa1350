#define _GNU_SOURCE
#include "shim.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tr_library mj;

// ------------------------------------------------------------- errors

// MuJoCo reports an error by calling mju_user_error, which must not return.
// The thread's trap says where to go instead.
static _Thread_local jmp_buf* trap;
static _Thread_local char* trap_err;
static _Thread_local char last_warning[TR_ERR];

static void copy_message(char* dst, const char* src) {
  snprintf(dst, TR_ERR, "%s", src ? src : "no message");
}

static void on_error(const char* message) {
  if (!trap) {
    // A MuJoCo error outside tr_run is a mistake in this package.
    fprintf(stderr, "mujoco: uncaught error: %s\n", message);
    abort();
  }
  copy_message(trap_err, message);
  longjmp(*trap, 1);
}

static void on_warning(const char* message) { copy_message(last_warning, message); }

// on_log takes the place of MuJoCo's own handler, which prints to the console
// and to a file in the working directory.
static void on_log(const mjLogMessage* m) {
  if (m->level == mjLOG_ERROR) {
    on_error(m->subject);
  } else if (m->level == mjLOG_WARNING) {
    on_warning(m->subject);
  }
}

int tr_run(void (*f)(void*), void* arg, char* err) {
  jmp_buf here;
  jmp_buf* outer = trap;
  char* outer_err = trap_err;
  if (_setjmp(here)) {
    trap = outer;
    trap_err = outer_err;
    return TR_FATAL;
  }
  trap = &here;
  trap_err = err;
  f(arg);
  trap = outer;
  trap_err = outer_err;
  return TR_OK;
}

const char* tr_last_warning(void) { return last_warning; }

// ------------------------------------------------------------ library

int tr_open(const char* path, char* err) {
  tr_library found;
  void* lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!lib) {
    copy_message(err, dlerror());
    return TR_FATAL;
  }
#define X(name)                                                 \
  if (!(found.name = (__typeof__(name)*)dlsym(lib, #name))) {   \
    snprintf(err, TR_ERR, "%s has no symbol %s", path, #name);  \
    dlclose(lib);                                               \
    return TR_FATAL;                                            \
  }
  TR_FUNCTIONS(X)
#undef X
  // struct layouts change with the version: header and library must agree
  if (found.mj_version() != mjVERSION_HEADER) {
    snprintf(err, TR_ERR, "%s is MuJoCo %s (%d), but this program was built against %d", path,
             found.mj_versionString(), found.mj_version(), mjVERSION_HEADER);
    dlclose(lib);
    return TR_FATAL;
  }
  mj = found;
  mj.mju_setLogHandler(on_log);
  void (**user_error)(const char*) = dlsym(lib, "mju_user_error");
  void (**user_warning)(const char*) = dlsym(lib, "mju_user_warning");
  if (user_error) *user_error = on_error;
  if (user_warning) *user_warning = on_warning;
  return TR_OK;
}

// -------------------------------------------------------------- model

typedef struct {
  const char* xml;
  char* err;
  mjModel* m;
} load_args;

static void load(void* arg) {
  load_args* a = arg;
  a->err[0] = 0;
  mjSpec* spec = mj.mj_parseXMLString(a->xml, NULL, a->err, TR_ERR);
  if (!spec) return;
  a->m = mj.mj_compile(spec, NULL);
  if (!a->m) copy_message(a->err, mj.mjs_getError(spec));
  mj.mj_deleteSpec(spec);
}

mjModel* tr_load(const char* xml, char* err) {
  load_args a = {xml, err, NULL};
  if (tr_run(load, &a, err) != TR_OK) return NULL;
  return a.m;
}

void tr_delete_model(mjModel* m) { mj.mj_deleteModel(m); }

int tr_name2id(const mjModel* m, int type, const char* name) {
  return mj.mj_name2id(m, type, name);
}

const char* tr_id2name(const mjModel* m, int type, int id) {
  return mj.mj_id2name(m, type, id);
}

// --------------------------------------------------------------- data

static void make_data(void* arg) {
  tr_data* t = arg;
  t->d = mj.mj_makeData(t->m);
}

tr_data* tr_new_data(const mjModel* m, char* err) {
  tr_data* t = calloc(1, sizeof *t);
  if (!t) {
    copy_message(err, "out of memory");
    return NULL;
  }
  t->m = m;
  if (tr_run(make_data, t, err) == TR_OK) {
    if (t->d) return t;
    copy_message(err, "out of memory");
  }
  free(t);
  return NULL;
}

void tr_free_data(tr_data* t) {
  if (!t) return;
  mj.mj_deleteData(t->d);
  free(t);
}

// step_args carries what step needs through tr_run.
typedef struct {
  tr_data* t;
  int n;
  int warned;
} step_args;

// fatal_warnings are those after which the state is not what was asked for.
static const int fatal_warnings[] = {
    mjWARN_INERTIA, mjWARN_CONTACTFULL, mjWARN_CNSTRFULL,
    mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC, mjWARN_BADCTRL,
};

static int count_warnings(const mjData* d) {
  int n = 0;
  for (size_t i = 0; i < sizeof fatal_warnings / sizeof *fatal_warnings; i++) {
    n += d->warning[fatal_warnings[i]].number;
  }
  return n;
}

static void step(void* arg) {
  step_args* a = arg;
  mjData* d = a->t->d;
  for (int i = 0; i < a->n; i++) {
    // a reset inside mj_step clears the counters, so clear them first
    memset(d->warning, 0, sizeof d->warning);
    mj.mj_step(a->t->m, d);
    if (count_warnings(d)) {
      a->warned = 1;
      return;
    }
  }
}

int tr_step(tr_data* t, int n) {
  step_args a = {t, n, 0};
  last_warning[0] = 0;
  if (tr_run(step, &a, t->err) != TR_OK) return TR_FATAL;
  if (a.warned) {
    copy_message(t->err, last_warning[0] ? last_warning : "unstable simulation");
    return TR_WARNING;
  }
  return TR_OK;
}

static void forward(void* arg) { mj.mj_forward(((tr_data*)arg)->m, ((tr_data*)arg)->d); }
static void kinematics(void* arg) { mj.mj_fwdKinematics(((tr_data*)arg)->m, ((tr_data*)arg)->d); }
static void reset(void* arg) { mj.mj_resetData(((tr_data*)arg)->m, ((tr_data*)arg)->d); }

int tr_forward(tr_data* t) { return tr_run(forward, t, t->err); }
int tr_kinematics(tr_data* t) { return tr_run(kinematics, t, t->err); }
int tr_reset(tr_data* t) { return tr_run(reset, t, t->err); }

typedef struct {
  tr_data* dst;
  const tr_data* src;
} copy_args;

static void copy(void* arg) {
  copy_args* a = arg;
  mj.mj_copyData(a->dst->d, a->dst->m, a->src->d);
}

int tr_copy(tr_data* dst, const tr_data* src) {
  copy_args a = {dst, src};
  return tr_run(copy, &a, dst->err);
}

int tr_state_size(const mjModel* m) { return mj.mj_stateSize(m, mjSTATE_INTEGRATION); }

void tr_get_state(const tr_data* t, double* state) {
  mj.mj_getState(t->m, t->d, state, mjSTATE_INTEGRATION);
}

void tr_set_state(tr_data* t, const double* state) {
  mj.mj_setState(t->m, t->d, state, mjSTATE_INTEGRATION);
}

void tr_jac_site(tr_data* t, double* jacp, double* jacr, int site) {
  mj.mj_jacSite(t->m, t->d, jacp, jacr, site);
}

int tr_contacts(const tr_data* t, tr_contact* out, int max) {
  int n = t->d->ncon < max ? t->d->ncon : max;
  for (int i = 0; i < n; i++) {
    const mjContact* c = t->d->contact + i;
    out[i].geom[0] = c->geom[0];
    out[i].geom[1] = c->geom[1];
    out[i].dist = c->dist;
    memcpy(out[i].pos, c->pos, sizeof out[i].pos);
    memcpy(out[i].normal, c->frame, sizeof out[i].normal);
    // an inactive contact has no row in the solver and no force
    mjtNum force[6] = {0};
    if (c->efc_address >= 0) mj.mj_contactForce(t->m, t->d, i, force);
    out[i].force = force[0];
  }
  return t->d->ncon;
}
