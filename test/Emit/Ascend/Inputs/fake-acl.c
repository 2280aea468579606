/* libascendcl.so without a device: says what is called. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fails(const char *name) {
  const char *wanted = getenv("FAKE_ACL_FAIL");
  return wanted && strcmp(wanted, name) == 0;
}

int aclrtMalloc(void **data, size_t bytes, int policy) {
  printf("aclrtMalloc(%zu, %d)\n", bytes, policy);
  if (fails("aclrtMalloc"))
    return 207001;
  *data = malloc(bytes);
  return 0;
}

int aclrtFree(void *data) {
  printf("aclrtFree\n");
  free(data);
  return 0;
}

int aclrtSynchronizeStream(void *stream) {
  printf("aclrtSynchronizeStream(%s)\n", (const char *)stream);
  return fails("aclrtSynchronizeStream") ? 507014 : 0;
}

/* Kind 1: to the device, 2: from it. */
int aclrtMemcpy(void *to, size_t room, const void *from, size_t bytes, int kind) {
  printf("aclrtMemcpy(%zu, %zu, %d)\n", room, bytes, kind);
  if (fails("aclrtMemcpy"))
    return 507899;
  memcpy(to, from, bytes);
  return 0;
}

const char *aclGetRecentErrMsg(void) {
  return getenv("FAKE_ACL_MESSAGE");
}
