/// A stretch of a template's text, and the field that follows it.
struct TemplateSegment: Sendable {
    var start: Int
    var count: Int
    var field: TemplateField?
}

/// A template's text while it is read and checked.
struct TemplateSource {
    let text: UnsafeRawBufferPointer
    let name: String

    /// Cuts the text at its fields. JSON has two opening braces together only inside strings, so all of them are fields.
    func segments() throws(WorkloadError) -> [TemplateSegment] {
        let whole = JSONSyntax.trimmed(text)
        var segments: [TemplateSegment] = []
        var start = whole.lowerBound
        var at = start
        while at < whole.upperBound {
            guard isPair(UInt8(ascii: "{"), at: at, before: whole.upperBound) else {
                at += 1
                continue
            }
            let (field, end) = try field(openedAt: at, before: whole.upperBound)
            segments.append(TemplateSegment(start: start, count: at - start, field: field))
            start = end
            at = end
        }
        segments.append(TemplateSegment(start: start, count: at - start, field: nil))
        return segments
    }

    /// Fills the template with the shortest and with the longest values, and checks both as JSON.
    ///
    /// Made-up text stands as `x`, which is wrong behind a backslash, so that no text can ever complete an escape.
    func checkFillings(of segments: [TemplateSegment]) throws(WorkloadError) {
        for number in [UInt64.min, UInt64.max] {
            var filled: [UInt8] = []
            var filledStarts: [Int] = []
            for segment in segments {
                filledStarts.append(filled.count)
                filled += text[segment.start..<segment.start + segment.count]
                if let field = segment.field { filled += Self.sample(of: field, number: number).utf8 }
            }
            guard let wrong = filled.withUnsafeBytes({ JSONSyntax.check($0) }) else { continue }
            let index = (filledStarts.lastIndex { $0 <= wrong }) ?? 0
            // What is wrong inside a filled field is shown at the field.
            let segment = segments[index]
            let offset = segment.start + min(wrong - filledStarts[index], segment.count)
            let place = TextPosition(offset: offset, in: text)
            throw .invalidJSON(file: name, offset: offset, line: place.line, column: place.column)
        }
    }

    private static func sample(of field: TemplateField, number: UInt64) -> String {
        switch field {
        case .title, .body: "x"
        case .badge: number == 0 ? "1" : "99"
        case .sound: "\(PayloadTemplate.sound)"
        case .link: "\(PayloadTemplate.linkPrefix)0000000000000000"
        case .sequence, .device: "\(number)"
        }
    }

    private func isPair(_ byte: UInt8, at offset: Int, before end: Int) -> Bool {
        offset + 1 < end && text[offset] == byte && text[offset + 1] == byte
    }

    /// The field that opens at `start`, and the offset behind its braces.
    private func field(openedAt start: Int, before end: Int) throws(WorkloadError) -> (TemplateField, end: Int) {
        var at = start + 2
        while !isPair(UInt8(ascii: "}"), at: at, before: end) {
            at += 1
            guard at < end, text[at] != UInt8(ascii: "\n") else {
                let place = TextPosition(offset: start, in: text)
                throw .unterminatedField(file: name, offset: start, line: place.line, column: place.column)
            }
        }
        let spaced = text[start + 2..<at]
        let trimmed = spaced.drop { $0 == 0x20 }.prefix { $0 != 0x20 }
        let fieldName = String(decoding: trimmed, as: UTF8.self)
        guard let field = TemplateField.allCases.first(where: { $0.name == fieldName }) else {
            let place = TextPosition(offset: start, in: text)
            throw .unknownField(
                file: name, name: fieldName, offset: start, line: place.line, column: place.column)
        }
        return (field, at + 2)
    }
}
