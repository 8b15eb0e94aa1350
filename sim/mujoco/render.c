#define _GNU_SOURCE
#include "shim.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- EGL

// The few parts of EGL 1.5 that are needed, so that neither its headers nor
// its library are needed to build. Values are from the EGL registry.
typedef void* egl_handle;
typedef int32_t egl_int;
typedef void (*egl_proc)(void);

enum {
  EGL_PLATFORM_SURFACELESS = 0x31DD,
  EGL_SURFACE_TYPE = 0x3033,
  EGL_PBUFFER = 0x0001,
  EGL_RENDERABLE_TYPE = 0x3040,
  EGL_OPENGL = 0x0008,
  EGL_RED_SIZE = 0x3024,
  EGL_GREEN_SIZE = 0x3023,
  EGL_BLUE_SIZE = 0x3022,
  EGL_NONE = 0x3038,
  EGL_OPENGL_API = 0x30A2,
};

#define EGL_FUNCTIONS(X)                                                    \
  X(egl_proc, eglGetProcAddress, (const char*))                             \
  X(unsigned, eglInitialize, (egl_handle, egl_int*, egl_int*))              \
  X(unsigned, eglBindAPI, (unsigned))                                       \
  X(unsigned, eglChooseConfig,                                              \
    (egl_handle, const egl_int*, egl_handle*, egl_int, egl_int*))           \
  X(egl_handle, eglCreateContext,                                           \
    (egl_handle, egl_handle, egl_handle, const egl_int*))                   \
  X(unsigned, eglDestroyContext, (egl_handle, egl_handle))                  \
  X(unsigned, eglMakeCurrent, (egl_handle, egl_handle, egl_handle, egl_handle)) \
  X(egl_int, eglGetError, (void))

typedef struct {
#define X(result, name, args) result(*name) args;
  EGL_FUNCTIONS(X)
#undef X
  egl_handle display, context;
} egl_state;

#define EGL_CURE "install Debian's libegl1 and libegl-mesa0 (with libgl1-mesa-dri for rendering without a GPU)"

static int egl_open(egl_state* e, char* err) {
  // RTLD_GLOBAL lets MuJoCo find the platform library that is in use
  void* lib = dlopen("libEGL.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!lib) {
    snprintf(err, TR_ERR, "%s; " EGL_CURE, dlerror());
    return TR_FATAL;
  }
#define X(result, name, args)                                             \
  if (!(e->name = (result(*) args)dlsym(lib, #name))) {                   \
    snprintf(err, TR_ERR, "libEGL.so.1 has no %s; " EGL_CURE, #name);     \
    return TR_FATAL;                                                      \
  }
  EGL_FUNCTIONS(X)
#undef X

  egl_handle (*get_display)(unsigned, void*, const egl_int*) =
      (egl_handle(*)(unsigned, void*, const egl_int*))e->eglGetProcAddress("eglGetPlatformDisplayEXT");
  if (get_display) e->display = get_display(EGL_PLATFORM_SURFACELESS, NULL, NULL);
  if (!e->display) {
    snprintf(err, TR_ERR, "EGL has no surfaceless platform; " EGL_CURE);
    return TR_FATAL;
  }
  if (!e->eglInitialize(e->display, NULL, NULL)) {
    snprintf(err, TR_ERR, "eglInitialize: error 0x%x; " EGL_CURE, e->eglGetError());
    return TR_FATAL;
  }

  static const egl_int want[] = {EGL_SURFACE_TYPE, EGL_PBUFFER, EGL_RENDERABLE_TYPE, EGL_OPENGL,
                                 EGL_RED_SIZE, 8, EGL_GREEN_SIZE, 8, EGL_BLUE_SIZE, 8, EGL_NONE};
  egl_handle config = NULL;
  egl_int n = 0;
  if (!e->eglChooseConfig(e->display, want, &config, 1, &n) || n < 1) {
    snprintf(err, TR_ERR, "EGL has no OpenGL configuration: error 0x%x; " EGL_CURE, e->eglGetError());
    return TR_FATAL;
  }
  if (!e->eglBindAPI(EGL_OPENGL_API) ||
      !(e->context = e->eglCreateContext(e->display, config, NULL, NULL)) ||
      !e->eglMakeCurrent(e->display, NULL, NULL, e->context)) {
    snprintf(err, TR_ERR, "EGL context: error 0x%x; " EGL_CURE, e->eglGetError());
    return TR_FATAL;
  }
  return TR_OK;
}

// The display is shared by all renderers of the process and is never
// terminated.
static void egl_close(egl_state* e) {
  if (!e->context) return;
  e->eglMakeCurrent(e->display, NULL, NULL, NULL);
  e->eglDestroyContext(e->display, e->context);
}

// ----------------------------------------------------------- renderer

struct tr_renderer {
  const mjModel* m;
  egl_state egl;
  mjvScene scene;
  mjrContext context;
  mjvOption option;
  mjvCamera camera;
  // one request, for draw
  tr_data* data;
  mjrRect view;
  unsigned char* pixels;
  int shadows;
};

static void setup(void* arg) {
  tr_renderer* r = arg;
  mj.mjv_defaultOption(&r->option);
  mj.mjv_defaultCamera(&r->camera);
  mj.mjv_makeScene(r->m, &r->scene, r->m->ngeom + 64);
  mj.mjr_makeContext(r->m, &r->context, mjFONTSCALE_50);
  mj.mjr_setBuffer(mjFB_OFFSCREEN, &r->context);
}

tr_renderer* tr_new_renderer(const mjModel* m, int shadows, char* err) {
  tr_renderer* r = calloc(1, sizeof *r);
  if (!r) {
    snprintf(err, TR_ERR, "out of memory");
    return NULL;
  }
  r->m = m;
  r->shadows = shadows;
  mj.mjv_defaultScene(&r->scene);
  mj.mjr_defaultContext(&r->context);
  r->pixels = malloc((size_t)3 * m->vis.global.offwidth * m->vis.global.offheight);
  if (!r->pixels) {
    snprintf(err, TR_ERR, "out of memory");
    tr_free_renderer(r);
    return NULL;
  }
  if (egl_open(&r->egl, err) != TR_OK || tr_run(setup, r, err) != TR_OK) {
    tr_free_renderer(r);
    return NULL;
  }
  return r;
}

static void teardown(void* arg) {
  tr_renderer* r = arg;
  mj.mjv_freeScene(&r->scene);
  if (r->context.glInitialized) mj.mjr_freeContext(&r->context);
}

void tr_free_renderer(tr_renderer* r) {
  char err[TR_ERR];
  if (!r) return;
  tr_run(teardown, r, err);
  egl_close(&r->egl);
  free(r->pixels);
  free(r);
}

static void draw(void* arg) {
  tr_renderer* r = arg;
  mj.mjv_updateScene(r->m, r->data->d, &r->option, NULL, &r->camera, mjCAT_ALL, &r->scene);
  r->scene.flags[mjRND_SHADOW] = r->shadows;
  r->scene.flags[mjRND_REFLECTION] = 0;
  mj.mjr_render(r->view, &r->scene, &r->context);
  mj.mjr_readPixels(r->pixels, NULL, r->view, &r->context);
}

int tr_render(tr_renderer* r, tr_data* t, int camera, int width, int height,
              unsigned char* rgb, char* err) {
  if (width > r->context.offWidth || height > r->context.offHeight) {
    snprintf(err, TR_ERR, "%d x %d pixels do not fit the off-screen buffer of %d x %d", width,
             height, r->context.offWidth, r->context.offHeight);
    return TR_WARNING;
  }
  r->data = t;
  r->view = (mjrRect){0, 0, width, height};
  r->camera.type = mjCAMERA_FIXED;
  r->camera.fixedcamid = camera;
  if (tr_run(draw, r, err) != TR_OK) return TR_FATAL;
  // OpenGL's first row is the bottom one
  size_t row = (size_t)3 * width;
  for (int y = 0; y < height; y++) {
    memcpy(rgb + y * row, r->pixels + (height - 1 - y) * row, row);
  }
  return TR_OK;
}
