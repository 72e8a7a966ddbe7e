// The part of the lexer that needs memory: line structure (newline, indent, dedent) and strings.
//
// Layout tokens are empty. Asked for one, the scanner fixes the token's end where it stands, then reads on over blanks,
// comments and line ends to the next token and compares that token's column with the open blocks. Inside brackets the
// parser asks for no layout token, so line ends are blanks there.
//
// Strings: `string_start` (prefix and quotes) opens one, then pieces follow until `string_end`. Between them an f-string's
// replacement fields are ordinary tokens of the grammar. A string on one line that is not closed ends, empty, at the line's
// end; one in triple quotes at the end of the file. Whoever needs to know compares the length of `string_end`.
//
// State: open blocks (columns) and open strings, both bounded so that it serialises to less than 1,024 bytes.
#include "tree_sitter/parser.h"

#include <stdlib.h>
#include <string.h>

enum Token {
  NEWLINE,
  INDENT,
  DEDENT,
  STRING_START,
  STRING_CONTENT,
  ESCAPE_SEQUENCE,
  STRING_END,
  FORMAT_CONTENT,
  RECOVERING,
};

enum { kMostBlocks = 200, kMostStrings = 200, kTabStop = 8 };

enum StringFlag {
  kDouble = 1, // the quote is `"`
  kTriple = 2,
  kRaw = 4,
  kFormat = 8,
};

typedef struct {
  uint16_t blocks[kMostBlocks]; // columns, the outermost (0) not stored
  uint8_t strings[kMostStrings];
  uint8_t blockCount, stringCount;
} Scanner;

void *tree_sitter_tilewright_external_scanner_create(void) { return calloc(1, sizeof(Scanner)); }

void tree_sitter_tilewright_external_scanner_destroy(void *payload) { free(payload); }

unsigned tree_sitter_tilewright_external_scanner_serialize(void *payload, char *buffer) {
  const Scanner *scanner = payload;
  unsigned size = 0;
  buffer[size++] = (char)scanner->stringCount;
  memcpy(buffer + size, scanner->strings, scanner->stringCount);
  size += scanner->stringCount;
  memcpy(buffer + size, scanner->blocks, scanner->blockCount * sizeof(uint16_t));
  size += scanner->blockCount * sizeof(uint16_t);
  return size; // at most 1 + 200 + 400
}

void tree_sitter_tilewright_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
  Scanner *scanner = payload;
  memset(scanner, 0, sizeof(*scanner));
  if (length == 0)
    return;
  unsigned at = 0;
  scanner->stringCount = (uint8_t)buffer[at++];
  memcpy(scanner->strings, buffer + at, scanner->stringCount);
  at += scanner->stringCount;
  scanner->blockCount = (uint8_t)((length - at) / sizeof(uint16_t));
  memcpy(scanner->blocks, buffer + at, scanner->blockCount * sizeof(uint16_t));
}

static void advance(TSLexer *lexer) { lexer->advance(lexer, false); }

static bool isLineEnd(int32_t c) { return c == '\n' || c == '\r'; }

static bool isQuote(int32_t c) { return c == '\'' || c == '"'; }

// ---- strings ----------------------------------------------------------------------------------------------------------

// Reads the quotes of `flags` if they stand here. Of triple quotes an incomplete run is consumed too: it is content.
static bool readClosing(TSLexer *lexer, uint8_t flags, bool *consumed) {
  int32_t quote = flags & kDouble ? '"' : '\'';
  int count = flags & kTriple ? 3 : 1;
  *consumed = false;
  for (int i = 0; i < count; ++i) {
    if (lexer->lookahead != quote)
      return false;
    advance(lexer);
    *consumed = true;
  }
  return true;
}

// One piece of the innermost open string: content, an escape sequence or the end.
static bool scanString(Scanner *scanner, TSLexer *lexer, bool inFormat) {
  uint8_t flags = scanner->strings[scanner->stringCount - 1];
  int32_t quote = flags & kDouble ? '"' : '\'';
  bool any = false;
  lexer->mark_end(lexer);
  for (;;) {
    int32_t c = lexer->lookahead;
    if (lexer->eof(lexer) || (isLineEnd(c) && !(flags & kTriple))) {
      if (any)
        break;
      if (inFormat)
        return false; // the replacement field is broken; the parser recovers
      lexer->result_symbol = STRING_END;
      --scanner->stringCount;
      return true;
    }
    if (c == quote) {
      if (inFormat) {
        if (any)
          break;
        return false;
      }
      bool consumed;
      if (readClosing(lexer, flags, &consumed)) {
        if (any) // the closing quotes are the next token
          break;
        lexer->mark_end(lexer);
        lexer->result_symbol = STRING_END;
        --scanner->stringCount;
        return true;
      }
      lexer->mark_end(lexer);
      any = true;
      continue;
    }
    if (flags & kFormat) {
      if (c == '{' || c == '}') {
        lexer->mark_end(lexer);
        if (inFormat) {
          if (any)
            break;
          return false;
        }
        advance(lexer);
        if (lexer->lookahead != c) { // a replacement field, or a stray `}`
          if (any)
            break;
          return false;
        }
        advance(lexer);
        lexer->mark_end(lexer);
        any = true;
        continue;
      }
    }
    if (c == '\\') {
      if (!(flags & kRaw)) {
        if (any)
          break;
        advance(lexer);
        int32_t escaped = lexer->lookahead;
        if (escaped == '\r') {
          advance(lexer);
          if (lexer->lookahead == '\n')
            advance(lexer);
        } else if (escaped == 'N' && !lexer->eof(lexer)) {
          advance(lexer);
          if (lexer->lookahead == '{') {
            while (!lexer->eof(lexer) && lexer->lookahead != '}' && lexer->lookahead != quote && !isLineEnd(lexer->lookahead))
              advance(lexer);
            if (lexer->lookahead == '}')
              advance(lexer);
          }
        } else if (!lexer->eof(lexer) && !((flags & kFormat) && (escaped == '{' || escaped == '}'))) {
          advance(lexer);
        }
        lexer->mark_end(lexer);
        lexer->result_symbol = ESCAPE_SEQUENCE;
        return true;
      }
      // In a raw string the backslash is content, and so is the quote or backslash behind it.
      advance(lexer);
      if (lexer->lookahead == quote || lexer->lookahead == '\\') {
        advance(lexer);
      } else if (lexer->lookahead == '\r') {
        advance(lexer);
        if (lexer->lookahead == '\n')
          advance(lexer);
      } else if (lexer->lookahead == '\n') {
        advance(lexer);
      }
      lexer->mark_end(lexer);
      any = true;
      continue;
    }
    advance(lexer);
    lexer->mark_end(lexer);
    any = true;
  }
  lexer->result_symbol = inFormat ? FORMAT_CONTENT : STRING_CONTENT;
  return true;
}

// Prefix and quotes. The prefix letters may turn out to be a name: then nothing is returned and the lexer starts over.
static bool scanStringStart(Scanner *scanner, TSLexer *lexer) {
  uint8_t flags = 0;
  bool bytes = false, unicode = false;
  for (int letters = 0; !isQuote(lexer->lookahead); ++letters) {
    if (letters == 2)
      return false;
    switch (lexer->lookahead) {
    case 'r': case 'R':
      if (flags & kRaw || unicode)
        return false;
      flags |= kRaw;
      break;
    case 'b': case 'B':
      if (bytes || unicode || flags & kFormat)
        return false;
      bytes = true;
      break;
    case 'f': case 'F':
      if (bytes || unicode || flags & kFormat)
        return false;
      flags |= kFormat;
      break;
    case 'u': case 'U':
      if (letters > 0)
        return false;
      unicode = true;
      break;
    default:
      return false;
    }
    advance(lexer);
  }
  if (scanner->stringCount == kMostStrings)
    return false;
  int32_t quote = lexer->lookahead;
  if (quote == '"')
    flags |= kDouble;
  advance(lexer);
  lexer->mark_end(lexer);
  if (lexer->lookahead == quote) {
    advance(lexer);
    if (lexer->lookahead == quote) {
      advance(lexer);
      lexer->mark_end(lexer);
      flags |= kTriple;
    }
  }
  scanner->strings[scanner->stringCount++] = flags;
  lexer->result_symbol = STRING_START;
  return true;
}

// ---- lines ------------------------------------------------------------------------------------------------------------

typedef struct {
  uint32_t column; // of the next token, if a line end was passed
  bool lineEnd, comment;
} Gap;

// Reads on over blanks, line ends, continuations and comments to the next token.
static Gap passGap(TSLexer *lexer) {
  Gap gap = {0, false, false};
  for (;;) {
    switch (lexer->lookahead) {
    case ' ':
      ++gap.column;
      break;
    case '\t':
      gap.column = (gap.column / kTabStop + 1) * kTabStop;
      break;
    case '\n': case '\r':
      gap.lineEnd = true;
      gap.column = 0;
      break;
    case '\f': case '\v':
      gap.column = 0;
      break;
    case '#':
      gap.comment = true;
      while (!lexer->eof(lexer) && !isLineEnd(lexer->lookahead))
        lexer->advance(lexer, true);
      continue;
    case '\\':
      lexer->advance(lexer, true);
      if (!isLineEnd(lexer->lookahead))
        return gap; // a stray backslash: some token starts here
      if (lexer->lookahead == '\r')
        lexer->advance(lexer, true);
      if (lexer->lookahead == '\n')
        lexer->advance(lexer, true);
      continue;
    default:
      if (lexer->eof(lexer)) {
        gap.lineEnd = true;
        gap.column = 0;
      }
      return gap;
    }
    lexer->advance(lexer, true);
  }
}

bool tree_sitter_tilewright_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  Scanner *scanner = payload;
  bool recovering = valid[RECOVERING];

  if (scanner->stringCount > 0 && !recovering) {
    if (valid[FORMAT_CONTENT])
      return scanString(scanner, lexer, true);
    if (valid[STRING_CONTENT])
      return scanString(scanner, lexer, false);
  }
  bool layout = valid[NEWLINE] || valid[INDENT] || valid[DEDENT];
  if (!layout && !valid[STRING_START])
    return false;

  lexer->mark_end(lexer);
  Gap gap = passGap(lexer);
  if (layout && gap.lineEnd) {
    uint32_t column = gap.column < UINT16_MAX ? gap.column : UINT16_MAX;
    uint32_t top = scanner->blockCount ? scanner->blocks[scanner->blockCount - 1] : 0;
    if (valid[INDENT] && !recovering && column > top && scanner->blockCount < kMostBlocks) {
      scanner->blocks[scanner->blockCount++] = (uint16_t)column;
      lexer->result_symbol = INDENT;
      return true;
    }
    if (valid[NEWLINE]) {
      lexer->result_symbol = NEWLINE;
      return true;
    }
    if (valid[DEDENT] && scanner->blockCount > 0 && column < top) {
      --scanner->blockCount;
      lexer->result_symbol = DEDENT;
      return true;
    }
  }
  // A comment is a token of its own and comes first.
  if (valid[STRING_START] && !recovering && !gap.comment)
    return scanStringStart(scanner, lexer);
  return false;
}
