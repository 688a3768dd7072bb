/* SPDX-License-Identifier: MIT */
/* Right: whoever tries first keeps the mutex, so the one who locks may wait for ever: 14 classes by plain enumeration, some of them stuck. */
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, y;
static void *a(void *p) { pthread_mutex_trylock(&m); __atomic_fetch_add(&x,1,5); return p; }
static void *b(void *p) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); __atomic_fetch_add(&y,1,5); return p; }
int main(void) {
  pthread_t t, u, v;
  pthread_create(&t, 0, a, 0); pthread_create(&u, 0, b, 0); pthread_create(&v, 0, a, 0);
  pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0);
}
