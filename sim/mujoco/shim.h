// The C side of package mujoco. Every call that depends on MuJoCo's version is
// in shim.c or render.c; Go sees only what this header declares.
//
// A function that can meet a MuJoCo error returns 0 or one of the TR_ codes
// and leaves the message in the caller's err buffer of TR_ERR bytes.

#ifndef TWINRIG_SHIM_H_
#define TWINRIG_SHIM_H_

#if !__has_include(<mujoco/mujoco.h>)
#error "MuJoCo's headers are missing: run `make setup`, or point CGO_CFLAGS=-I... at their directory"
#endif

#include <mujoco/mujoco.h>

_Static_assert(sizeof(mjtNum) == sizeof(double), "MuJoCo must be built with double precision");

enum {
  TR_ERR = 1024,    // bytes of an error buffer
  TR_OK = 0,
  TR_FATAL = 1,     // MuJoCo raised an error: the data must be thrown away
  TR_WARNING = 2,   // MuJoCo raised a warning: the state cannot be trusted
};

// MuJoCo's functions, found with dlsym by tr_open.
#define TR_FUNCTIONS(X)                                                       \
  X(mj_version) X(mj_versionString)                                           \
  X(mju_setLogHandler)                                                        \
  X(mj_parseXMLString) X(mj_compile) X(mj_deleteSpec) X(mjs_getError)         \
  X(mj_deleteModel) X(mj_makeData) X(mj_deleteData) X(mj_copyData)            \
  X(mj_resetData) X(mj_step) X(mj_forward) X(mj_fwdKinematics)                \
  X(mj_stateSize) X(mj_getState) X(mj_setState)                               \
  X(mj_name2id) X(mj_id2name) X(mj_jacSite) X(mj_contactForce)                \
  X(mjv_defaultScene) X(mjv_makeScene) X(mjv_freeScene) X(mjv_updateScene)    \
  X(mjv_defaultOption) X(mjv_defaultCamera)                                   \
  X(mjr_defaultContext) X(mjr_makeContext) X(mjr_freeContext)                 \
  X(mjr_setBuffer) X(mjr_render) X(mjr_readPixels)

typedef struct {
#define X(name) __typeof__(name)* name;
  TR_FUNCTIONS(X)
#undef X
} tr_library;

extern tr_library mj;

// tr_open loads the library at path and looks up its functions.
int tr_open(const char* path, char* err);

// tr_run calls f(arg) with MuJoCo's errors caught: TR_OK, or TR_FATAL and the
// message in err. Only C frames lie between the error and the return.
int tr_run(void (*f)(void*), void* arg, char* err);

// tr_last_warning is this thread's newest MuJoCo warning.
const char* tr_last_warning(void);

mjModel* tr_load(const char* xml, char* err);

// tr_data is a model's data with the buffer for its errors.
typedef struct {
  const mjModel* m;
  mjData* d;
  char err[TR_ERR];
} tr_data;

typedef struct {
  int geom[2];
  double dist, pos[3], normal[3], force;
} tr_contact;

tr_data* tr_new_data(const mjModel* m, char* err);
void tr_free_data(tr_data* t);
int tr_step(tr_data* t, int n);
int tr_forward(tr_data* t);
int tr_kinematics(tr_data* t);
int tr_reset(tr_data* t);
int tr_copy(tr_data* dst, const tr_data* src);
int tr_state_size(const mjModel* m);
void tr_get_state(const tr_data* t, double* state);
void tr_set_state(tr_data* t, const double* state);
void tr_jac_site(tr_data* t, double* jacp, double* jacr, int site);
int tr_contacts(const tr_data* t, tr_contact* out, int max);

void tr_delete_model(mjModel* m);
int tr_name2id(const mjModel* m, int type, const char* name);
const char* tr_id2name(const mjModel* m, int type, int id);

// tr_renderer draws one model into an off-screen buffer. All of its functions
// must be called on the thread that made it.
typedef struct tr_renderer tr_renderer;

tr_renderer* tr_new_renderer(const mjModel* m, int shadows, char* err);
void tr_free_renderer(tr_renderer* r);
int tr_render(tr_renderer* r, tr_data* t, int camera, int width, int height,
              unsigned char* rgb, char* err);

#endif  // TWINRIG_SHIM_H_
