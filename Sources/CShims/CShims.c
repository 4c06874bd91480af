#define _GNU_SOURCE
#include <errno.h>
#include "CShims.h"
#include <fcntl.h>
#include <unistd.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>

int shim_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data.u64 = token};
    return epoll_ctl(epoll, operation, descriptor, &event);
}

int shim_epoll_wait(int epoll, struct epoll_event *events, int capacity, int64_t nanoseconds) {
    struct timespec timeout = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
    return epoll_pwait2(epoll, events, capacity, nanoseconds < 0 ? 0 : &timeout, 0);
}

void shim_timer_be_exact(void) { prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

int shim_timer_arm(int timer, int64_t nanoseconds) {
    struct itimerspec value = {{0, 0}, {nanoseconds / 1000000000, nanoseconds % 1000000000}};
    return timerfd_settime(timer, TFD_TIMER_ABSTIME, &value, 0);
}

int shim_accept(int listener, struct sockaddr_storage *peer) {
    socklen_t size = sizeof *peer;
    return accept4(listener, (struct sockaddr *)peer, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int shim_tcp_socket(int family, int is_non_blocking) {
    return socket(family, SOCK_STREAM | SOCK_CLOEXEC | (is_non_blocking ? SOCK_NONBLOCK : 0), IPPROTO_TCP);
}

long shim_send(int descriptor, const void *bytes, unsigned long count) {
    return send(descriptor, bytes, count, MSG_NOSIGNAL);
}

int shim_unsent_count(int descriptor) {
    int count = 0;
    return ioctl(descriptor, SIOCOUTQ, &count) == 0 ? count : -1;
}

int64_t shim_thread_cpu_time(void) {
    struct timespec time = {0, 0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

extern int mallctl(const char *, void *, unsigned long *, void *, unsigned long) __attribute__((weak));

int shim_mallctl(const char *name, void *old_value, unsigned long *old_size, void *new_value, unsigned long new_size) {
    return mallctl ? mallctl(name, old_value, old_size, new_value, new_size) : ENOSYS;
}

int shim_pipe(int descriptors[2]) { return pipe2(descriptors, O_CLOEXEC); }
