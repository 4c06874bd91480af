internal import CShims
internal import Glibc

/// The two descriptors of a loop beside its inbox: made where failing can still be told, then owned by the loop.
struct LoopDescriptors: Sendable {
    /// The epoll descriptor.
    let epoll: Int32
    /// A timer descriptor, which wakes the loop while it is not running.
    let timer: Int32

    init() throws(TransportError) {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw .system(.last("making an epoll descriptor")) }
        timer = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
        guard timer >= 0 else {
            let failure = SystemFailure.last("making a timer descriptor")
            close(epoll)
            throw .system(failure)
        }
    }
}
