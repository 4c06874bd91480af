// C macros and functions that Swift cannot import, as plain functions; beside them only the blocks kept for OpenSSL.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

/// epoll_ctl with the token that its events will carry. Returns 0, or -1 with errno set.
int shim_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t token);
/// epoll_pwait2 with a time-out in nanoseconds (negative waits for ever). Returns the count, or -1 with errno set.
int shim_epoll_wait(int epoll, struct epoll_event *events, int capacity, int64_t nanoseconds);
/// Has the kernel end the calling thread's waits on time, and not up to 50 us late to save wake-ups (prctl).
void shim_timer_be_exact(void);
/// Arms a timer descriptor for an instant of the monotonic clock in nanoseconds; 0 disarms it. Returns 0 or -1.
int shim_timer_arm(int timer, int64_t nanoseconds);
/// accept4 with a non-blocking, close-on-exec result. Returns the descriptor, or -1 with errno set.
int shim_accept(int listener, struct sockaddr_storage *peer);
/// A close-on-exec TCP socket, non-blocking when asked. Returns the descriptor, or -1 with errno set.
int shim_tcp_socket(int family, int is_non_blocking);
/// send without SIGPIPE. Returns the count, or -1 with errno set.
long shim_send(int descriptor, const void *bytes, unsigned long count);
/// The bytes in the socket's send queue that the peer has not acknowledged, or -1.
int shim_unsent_count(int descriptor);
/// The processor time of the calling thread in nanoseconds.
int64_t shim_thread_cpu_time(void);
/// jemalloc's mallctl where the program is linked to jemalloc, else ENOSYS.
int shim_mallctl(const char *name, void *old_value, unsigned long *old_size, void *new_value, unsigned long new_size);
/// A pipe whose ends are closed in children. Returns 0, or -1 with errno set.
int shim_pipe(int descriptors[2]);

/// malloc for OpenSSL: small blocks come from a few that each thread keeps. File and line are not looked at.
void *shim_pooled_malloc(size_t size, const char *file, int line);
/// realloc for blocks of shim_pooled_malloc.
void *shim_pooled_realloc(void *block, size_t size, const char *file, int line);
/// free for blocks of shim_pooled_malloc.
void shim_pooled_free(void *block, const char *file, int line);
