/* Stands before the C library's write calls: counts those that go to one folder, fails those that it is told to, and
 * keeps a log of them, from which a folder can be made as a power cut would have left it.
 *
 * A record of the log: operation (1 byte), path length, second length, offset (8 bytes each), path, second.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[4096];
static long fail_from, fail_to, count;
static int error_number = EIO, log_fd = -1;

/* From now on: calls to this folder count from 1, those from `from` up to before `to` fail with that error. */
void faults_arm(const char *where, long from, long to, int number, const char *log) {
    snprintf(folder, sizeof folder, "%s", where);
    fail_from = from, fail_to = to, error_number = number, count = 0;
    if (*log) log_fd = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}
long faults_count(void) { return count; }

static int ours(const char *path) { return *folder && strncmp(path, folder, strlen(folder)) == 0; }

static int path_of(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, 4095);
    if (size < 0) return 0;
    path[size] = 0;
    return ours(path);
}

static void put(char operation, const char *path, const void *second, uint64_t size, int64_t offset) {
    if (log_fd < 0) return;
    char head[25];
    uint64_t length = strlen(path);
    head[0] = operation;
    memcpy(head + 1, &length, 8), memcpy(head + 9, &size, 8), memcpy(head + 17, &offset, 8);
    syscall(SYS_write, log_fd, head, 25), syscall(SYS_write, log_fd, path, length);
    if (size) syscall(SYS_write, log_fd, second, size);
}

/* Whether this call is the one that fails. Held until `after`, so that the log has the order of the calls. */
static int before(void) {
    pthread_mutex_lock(&lock);
    count++;
    return count >= fail_from && count < fail_to;
}
static int fails(void) { pthread_mutex_unlock(&lock); errno = error_number; return -1; }
static void after(void) { int kept = errno; pthread_mutex_unlock(&lock); errno = kept; }

static ssize_t written(int fd, const void *data, size_t size, off_t offset, int at) {
    char path[4096];
    if (!path_of(fd, path)) return at ? syscall(SYS_pwrite64, fd, data, size, offset) : syscall(SYS_write, fd, data, size);
    if (before()) return fails();
    if (!at) offset = fcntl(fd, F_GETFL) & O_APPEND ? lseek(fd, 0, SEEK_END) : lseek(fd, 0, SEEK_CUR);
    ssize_t done = at ? syscall(SYS_pwrite64, fd, data, size, offset) : syscall(SYS_write, fd, data, size);
    if (done > 0) put('w', path, data, done, offset);
    after();
    return done;
}
ssize_t write(int fd, const void *data, size_t size) { return written(fd, data, size, 0, 0); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) { return written(fd, data, size, offset, 1); }
ssize_t pwrite64(int fd, const void *data, size_t size, off_t offset) { return written(fd, data, size, offset, 1); }

static int synced(int fd, long call) {
    char path[4096];
    if (!path_of(fd, path)) return syscall(call, fd);
    if (before()) return fails();
    int done = syscall(call, fd);
    if (done == 0) put('s', path, 0, 0, 0);
    after();
    return done;
}
int fsync(int fd) { return synced(fd, SYS_fsync); }
int fdatasync(int fd) { return synced(fd, SYS_fdatasync); }

static int cut(int fd, off_t size) {
    char path[4096];
    if (!path_of(fd, path)) return syscall(SYS_ftruncate, fd, size);
    if (before()) return fails();
    int done = syscall(SYS_ftruncate, fd, size);
    if (done == 0) put('t', path, 0, 0, size);
    after();
    return done;
}
int ftruncate(int fd, off_t size) { return cut(fd, size); }
int ftruncate64(int fd, off_t size) { return cut(fd, size); }

int rename(const char *from, const char *to) {
    if (!ours(to)) return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
    if (before()) return fails();
    int done = syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
    if (done == 0) put('r', from, to, strlen(to), 0);
    after();
    return done;
}
int unlink(const char *path) {
    if (!ours(path)) return syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    if (before()) return fails();
    int done = syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    if (done == 0) put('u', path, 0, 0, 0);
    after();
    return done;
}
