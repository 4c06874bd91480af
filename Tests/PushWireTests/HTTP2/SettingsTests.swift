import Primitives
import PushWire
import Testing

/// SETTINGS, windows, and what a peer may send too much of.
@Suite struct SettingsTests {
    private static func apply(_ payload: [UInt8], to settings: inout HTTP2Settings) throws(HTTP2Violation) {
        let copy = settings
        let result = payload.withUnsafeBytes { bytes -> Result<HTTP2Settings, HTTP2Violation> in
            var next = copy
            do throws(HTTP2Violation) {
                try next.apply(
                    HTTP2Frame(
                        header: HTTP2FrameHeader(type: .settings, streamID: 0, length: bytes.count), payload: bytes))
                return .success(next)
            } catch {
                return .failure(error)
            }
        }
        settings = try result.get()
    }

    @Test func `what the gateway was seen to announce is read and written alike`() throws {
        // Protocol sheet, section 3.5: the full SETTINGS of 2021.
        let wire = bytes(hex: "0001 00001000 0003 000003e8 0004 0000ffff 0005 00004000 0006 00001f40")
        var settings = HTTP2Settings()
        try Self.apply(wire, to: &settings)
        var expected = HTTP2Settings()
        expected.maxConcurrentStreams = 1_000
        expected.maxHeaderListSize = 8_000
        #expect(settings == expected)
        var buffer = [UInt8](repeating: 0, count: HTTP2Settings.maxByteCount)
        let count = buffer.withUnsafeMutableBytes { settings.write(to: $0.baseAddress!) }
        #expect(Array(buffer[..<count]) == bytes(hex: "00000c 04 00 00000000 0003 000003e8 0006 00001f40"))
        let none = buffer.withUnsafeMutableBytes { settings.write(to: $0.baseAddress!, since: settings) }
        #expect(none == 9, "nothing has changed")
    }

    @Test(arguments: [
        ("0002 00000002", HTTP2Rule.settingValue(2)), ("0004 80000000", .initialWindowSize),
        ("0005 00003fff", .settingValue(5)), ("0005 01000000", .settingValue(5)),
    ])
    func `a value out of its range is refused`(hex: String, rule: HTTP2Rule) {
        var settings = HTTP2Settings()
        #expect(throws: HTTP2Violation(rule)) { try Self.apply(bytes(hex: hex), to: &settings) }
        #expect(rule.code == (rule == .initialWindowSize ? .flowControlError : .protocolError))
    }

    @Test func `the largest values and unknown parameters are taken`() throws {
        var settings = HTTP2Settings()
        try Self.apply(
            bytes(hex: "0001 ffffffff 0004 7fffffff 0005 00ffffff 0006 01000000 00ff 12345678"), to: &settings)
        #expect(settings.headerTableSize == .max)
        #expect(settings.initialWindowSize == 0x7FFF_FFFF)
        #expect(settings.maxFrameSize == 0xFF_FFFF)
        #expect(settings.maxHeaderListSize == 1 << 24)
    }

    @Test func `a window grows to its limit and not beyond`() throws {
        var window = HTTP2Window(10)
        window.consume(30)
        #expect(window.room == -20)
        try window.widen(by: 20 + 0x7FFF_FFFF)
        #expect(throws: HTTP2Violation(.windowOverflow, scope: .stream(3))) {
            try window.widen(by: 1, scope: .stream(3))
        }
        #expect(window.room == 0x7FFF_FFFF)
    }

    @Test(arguments: HTTP2FloodKind.allCases) func `a burst passes, a flood does not, and time heals`(
        kind: HTTP2FloodKind
    ) throws {
        var limits = HTTP2FloodLimits()
        let limit = HTTP2FloodLimit(burst: 50, perSecond: 10)
        (limits.settings, limits.ping, limits.reset, limits.idleFrame) = (limit, limit, limit, limit)
        limits.windowUpdate = limit
        var guardian = HTTP2FloodGuard(limits: limits)
        var now = Instant.zero + .seconds(5)
        for _ in 0..<50 { try guardian.note(kind, requests: 0, now: now) }
        #expect(throws: HTTP2Violation(.flood(kind))) { try guardian.note(kind, requests: 0, now: now) }
        now = now + .seconds(1)
        for _ in 0..<10 { try guardian.note(kind, requests: 0, now: now) }
        #expect(throws: HTTP2Violation(.flood(kind))) { try guardian.note(kind, requests: 0, now: now) }
        for other in HTTP2FloodKind.allCases where other != kind { try guardian.note(other, requests: 0, now: now) }
        for second in 1...100 as ClosedRange<Int64> {
            for _ in 0..<10 { try guardian.note(kind, requests: 0, now: now + .seconds(second)) }
        }
    }

    @Test func `each request allows so many more, saved up to a burst and no further`() throws {
        var limits = HTTP2FloodLimits()
        limits.windowUpdate = HTTP2FloodLimit(burst: 50, perSecond: 10, perRequest: 3)
        var guardian = HTTP2FloodGuard(limits: limits)
        for requests in 1...10_000 as ClosedRange<UInt64> {
            for _ in 0..<3 { try guardian.note(.windowUpdate, requests: requests, now: .zero) }
        }
        for _ in 0..<50 { try guardian.note(.windowUpdate, requests: 10_000, now: .zero) }
        #expect(throws: HTTP2Violation(.flood(.windowUpdate))) {
            try guardian.note(.windowUpdate, requests: 10_000, now: .zero)
        }
        for _ in 0..<50 { try guardian.note(.windowUpdate, requests: 1_000_000, now: .zero) }
        #expect(throws: HTTP2Violation(.flood(.windowUpdate))) {
            try guardian.note(.windowUpdate, requests: 1_000_000, now: .zero)
        }
    }

    @Test func `each frame of DATA earns two updates of windows, which wait for it however long`() throws {
        var guardian = HTTP2FloodGuard()
        for dataFrames in 1...100_000 as ClosedRange<UInt64> {
            for _ in 0..<2 { try guardian.note(.windowUpdate, requests: 0, dataFrames: dataFrames, now: .zero) }
        }
        for _ in 0..<100_000 { try guardian.note(.windowUpdate, requests: 0, dataFrames: 150_000, now: .zero) }
        for _ in 0..<10_000 { try guardian.note(.windowUpdate, requests: 0, dataFrames: 150_000, now: .zero) }
        #expect(throws: HTTP2Violation(.flood(.windowUpdate))) {
            try guardian.note(.windowUpdate, requests: 0, dataFrames: 150_000, now: .zero)
        }
    }

    @Test func `other floods are not made good by DATA`() throws {
        for kind in HTTP2FloodKind.allCases where kind != .windowUpdate {
            var guardian = HTTP2FloodGuard()
            #expect(throws: HTTP2Violation(.flood(kind))) {
                for _ in 0..<1_001 { try guardian.note(kind, requests: 0, dataFrames: 1_000_000, now: .zero) }
            }
        }
    }

    @Test func `a violation is told in words of the protocol`() {
        #expect("\(HTTP2Violation(.flood(.windowUpdate)))" == "ENHANCE_YOUR_CALM: flood of WINDOW_UPDATE frames")
        #expect("\(HTTP2Violation(.flood(.ping)))" == "ENHANCE_YOUR_CALM: flood of PING frames")
        #expect(
            "\(HTTP2Violation(.frameLength(.settings), scope: .stream(3)))"
                == "FRAME_SIZE_ERROR on stream 3: SETTINGS of a wrong length")
        let rules: [HTTP2Rule] =
            [
                .preface, .settingsFirst, .frameSizeLimit, .padding, .continuationOrder, .continuationCount,
                .headerBlockSize,
                .headerListSize, .settingValue(5), .initialWindowSize, .windowIncrement, .windowOverflow,
                .windowExceeded,
                .pushPromise, .streamOrder, .idleStream, .closedStream, .streamLimit, .malformedMessage, .fieldIndex,
                .fieldInteger, .fieldTruncated, .huffmanCode, .tableSize, .tableSizeUpdate, .streamNeeded(.data),
                .connectionNeeded(.ping), .frameLength(.goAway),
            ] + HTTP2FloodKind.allCases.map { .flood($0) }
        for rule in rules {
            #expect("\(rule)".contains(" ") && !"\(rule)".contains("("), "\(rule)")
            #expect("\(rule)" != rule.code.name, "\(rule)")
        }
        #expect(Set(rules.map { "\($0)" }).count == rules.count)
    }

    @Test func `an outbox gives its frames in pieces and is over its limit when nobody reads`() throws {
        var outbox = HTTP2Outbox(limit: 1_000)
        outbox.preface()
        outbox.settings(HTTP2Settings())
        outbox.settingsAcknowledgement()
        outbox.ping(0x0807_0605_0403_0201, isAnswer: true)
        outbox.windowUpdate(streamID: 3, increment: 0x1_0000)
        outbox.reset(streamID: 5, code: .cancel)
        outbox.goAway(lastStreamID: 7, code: .noError, debugData: [0x7B, 0x7D])
        var wire: [UInt8] = []
        while !outbox.isEmpty {
            var buffer = [UInt8](repeating: 0, count: 5)
            let count = buffer.withUnsafeMutableBytes { outbox.drain(into: $0) }
            wire += buffer[..<count]
        }
        #expect(
            wire == Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
                + bytes(
                    hex: """
                        000000 04 00 00000000 000000 04 01 00000000 000008 06 01 00000000 0102030405060708
                        000004 08 00 00000003 00010000 000004 03 00 00000005 00000008
                        00000a 07 00 00000000 00000007 00000000 7b7d
                        """))
        for _ in 0..<58 { outbox.ping(0, isAnswer: true) }
        try outbox.check()
        outbox.ping(0, isAnswer: true)
        #expect(throws: HTTP2Violation(.flood(.unreadAnswer))) { try outbox.check() }
    }
}
