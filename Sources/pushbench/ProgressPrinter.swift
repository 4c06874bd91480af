import CShims
import Foundation
import Glibc
import Reports
import RunRecords
import Synchronization

/// Shows a run while it goes on, on standard error, from a thread of its own: a terminal that was stopped, or a pipe that nobody reads,
/// holds up that thread and nothing else. What cannot be shown in time is left out.
final class ProgressPrinter: Sendable {
    private let style: ProgressStyle
    /// Whether the screen is for the terminal's foreground only, where a shell may have moved the program.
    private let isForForeground: Bool
    private let state: Mutex<State>
    /// Wakes the thread, and tells that it has ended.
    private let (news, over) = (eventfd(0, Int32(EFD_CLOEXEC)), eventfd(0, Int32(EFD_CLOEXEC)))

    private struct State {
        var newest: RunProgress?
        var isEnding = false
        var screen: ProgressScreen
        var intervalCount = 0
    }

    /// How long the thread rests after each look: no more than ten screens a second.
    private static let restMicroseconds: useconds_t = 100_000
    /// How long the end of a run waits for a screen that is being drawn.
    private static let patienceMilliseconds: Int32 = 500

    init(style: ProgressStyle, title: String) {
        isForForeground = style == .auto
        self.style = style.resolved
        state = Mutex(State(screen: ProgressScreen(title: title, style: Terminal.errorStyle)))
        guard style != .none, news >= 0, over >= 0 else { return }
        // A reader that went away must not end the run, nor a terminal that background jobs may not write to stop it.
        signal(SIGPIPE, SIG_IGN)
        if self.style == .tui { signal(SIGTTOU, SIG_IGN) }
        Thread.detachNewThread { [self] in
            work()
            eventfd_write(over, 1)
        }
    }

    deinit {
        close(news)
        close(over)
    }

    /// Takes the newest state; costs no more than to keep it.
    func show(_ progress: RunProgress) {
        guard style != .none, progress.endsInterval || style == .tui else { return }
        // The summary follows at once, which only people read.
        guard style == .json || progress.phase != .ended else { return }
        state.withLock { $0.newest = progress }
        eventfd_write(news, 1)
    }

    /// Takes the screen away, if that can be done at once.
    func end() {
        guard style != .none else { return }
        let isFirst = state.withLock { state in
            defer { state.isEnding = true }
            return !state.isEnding
        }
        guard isFirst else { return }
        eventfd_write(news, 1)
        var ended = pollfd(fd: over, events: Int16(POLLIN), revents: 0)
        poll(&ended, 1, Self.patienceMilliseconds)
    }

    // MARK: - The thread

    private func work() {
        var isGone = false
        while true {  // ends with the run
            var count: eventfd_t = 0
            eventfd_read(news, &count)
            let (newest, isEnding) = state.withLock { state in
                defer { state.newest = nil }
                return (state.newest, state.isEnding)
            }
            if !isGone, let newest, !isEnding || style != .tui { isGone = !tell(newest) }
            if isEnding {
                if style == .tui, !isGone, Terminal.errorIsReady { _ = write(state.withLock { $0.screen.clear() }) }
                return
            }
            usleep(Self.restMicroseconds)
        }
    }

    /// Shows a state; false when nobody will ever see anything.
    private func tell(_ progress: RunProgress) -> Bool {
        // What cannot be written now is left out, and the next state will do.
        guard Terminal.errorIsReady else { return true }
        switch style {
        case .tui:
            let foreground = tcgetpgrp(STDERR_FILENO)
            guard !isForForeground || foreground < 0 || foreground == getpgrp() else { return true }
            let (columns, rows) = Terminal.errorSize
            return write(state.withLock { $0.screen.draw(progress, columns: columns, rows: rows) })
        case .json: return ProgressJSON(progress).text.map { write($0 + "\n") } ?? true
        case .plain, .auto:
            let count = state.withLock { state in
                state.intervalCount += 1
                return state.intervalCount
            }
            // A line every five seconds is enough for a log.
            guard count % 5 == 1 else { return true }
            return write(ProgressLine(progress).text(Terminal.errorStyle) + "\n")
        case .none: return true
        }
    }

    private func write(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBytes { Terminal.write($0, to: STDERR_FILENO) }
    }
}
