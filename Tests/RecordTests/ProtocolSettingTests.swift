import Primitives
import Testing

@testable import RunRecords

/// Settings about the commands of the binary interface.
@Suite struct ProtocolSettingTests {
    private func message(_ text: String) -> String {
        do throws(ProfileError) {
            _ = try Profile.read(text: text, source: "p")
            return "accepted"
        } catch {
            return error.description
        }
    }

    @Test(arguments: [ProtocolName.simple, .enhanced, .framed, .mixed])
    func `each command of the binary interface can be sent`(name: ProtocolName) throws {
        let profile = try Profile.read(text: "{ protocol: '\(name.rawValue)' }", source: "p")
        #expect(profile.protocolName == name)
        #expect(profile.protocolName.hasIdentifiers == (name != .simple))
    }

    @Test func `C12 identifiers that are all the same are refused before anything is sent`() {
        #expect(
            message("{ sender: { identifiers: { fixed: 7 } } }")
                == "p:1:28: sender.identifiers.fixed: identifiers not unique in the window: an error reply that names 7 "
                + "would name all of 1,000,000 notifications; consecutive ones, or one notification, are accepted")
        #expect(message("{ workload: { notifications: 1 }, sender: { identifiers: { fixed: 7 } } }") == "accepted")
        #expect(message("{ sender: { identifiers: { fixed: 0 } } }").contains("out of range"))
    }

    @Test func `C20 damaged notifications must be allowed by name`() {
        #expect(
            message("{ sender: { malformed: {} } }")
                == "p:1:13: sender.malformed: sends notifications with damaged tokens; "
                + "set sender.allowMalformed to true if that is meant")
        #expect(message("{ sender: { malformed: {}, allowMalformed: true } }") == "accepted")
        #expect(message("{ sender: { malformed: { every: 0 }, allowMalformed: true } }").contains("out of range"))
    }

    @Test func `a setting that its protocol cannot carry is refused`() {
        #expect(message("{ protocol: 'framed', workload: { expiry: '1h' }, sender: { priority: 5 } }") == "accepted")
        #expect(
            message("{ sender: { priority: 5 } }")
                == "p:1:13: sender.priority: has no effect: only protocols framed, mixed and http2 carry a priority, and this is enhanced"
        )
        #expect(
            message("{ protocol: 'simple', workload: { expiry: '1h' } }")
                == "p:1:35: workload.expiry: has no effect: protocol simple carries no expiry")
        #expect(
            message("{ protocol: 'framed', sender: { priority: 7 } }")
                == "p:1:43: sender.priority: 7 is out of range; accepted: 10 or 5, and 1 with protocol http2")
        #expect(
            message("{ protocol: 'framed', sender: { priority: 1 } }")
                == "p:1:33: sender.priority: 1 stands in requests of protocol http2 only, and this is framed, which knows 10 and 5"
        )
        #expect(message("{ protocol: 'http2', sender: { priority: 1 } }") == "accepted")
    }

    @Test func `a batch holds at least the largest frame of its protocol`() {
        func accepts(_ name: String, bytes: Int) -> Bool {
            message(
                "{ protocol: '\(name)', workload: { payload: { bytes: 300 } }, sender: { batch: { bytes: \(bytes) } } }"
            )
                == "accepted"
        }
        for (name, overhead) in [("simple", 37), ("enhanced", 45), ("framed", 61)] {
            #expect(accepts(name, bytes: 300 + overhead))
            #expect(!accepts(name, bytes: 299 + overhead))
        }
    }

    @Test(arguments: [("ios7", 256), ("ios8", 2_048), ("voip", 4_096), ("1000", 1_000), ("4KiB", 4_096)])
    func `a payload limit is an era or a number of bytes`(text: String, bytes: Int) throws {
        let profile = try Profile.read(
            text: "{ target: { simulator: { payloadLimit: '\(text)' } } }", source: "p")
        #expect(profile.payloadLimit == bytes)
        let again = try Profile.read(text: profile.effectiveJSON.canonicalText, source: "p")
        #expect(again.payloadLimit == bytes)
    }
}
