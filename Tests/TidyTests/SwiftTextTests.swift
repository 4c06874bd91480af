import Testing

@Suite struct SwiftTextTests {
    @Test func `comments and string literals are taken out and lines stay`() {
        let source = """
            let a = "try! b" // print(
            /* print(
            */ let c = #"x " try!"#
            let d = "\\(f("y")) z"
            """
        #expect(SwiftText.code(of: source).split(separator: "\n", omittingEmptySubsequences: false).count == 4)
        #expect(!SwiftText.code(of: source).contains("try!"))
        #expect(!SwiftText.code(of: source).contains("print("))
    }

    @Test func `code inside an interpolation stays`() {
        #expect(SwiftText.code(of: #"let d = "a \(f(try! g("b"), (1))) c" + e"#) == "let d = f(try! g(), (1))) + e")
    }

    @Test func `an escaped quotation mark does not end a literal`() {
        #expect(SwiftText.code(of: #"x("a\" try! b") + c"#) == "x() + c")
    }

    @Test func `a literal of several lines ends at three quotation marks`() {
        #expect(SwiftText.code(of: "a \"\"\"\n \" try! \"\n \"\"\" b") == "a \n\n b")
    }

    @Test func `comments can be kept`() {
        #expect(SwiftText.code(of: "a // b \"c\"\n\"d\"", keepingComments: true) == "a // b \"c\"\n")
    }
}
