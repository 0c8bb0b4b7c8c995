"""What highlighting knows of languages, as data: comments, strings and words by family; names and suffixes.

Both forms work on text whose `&`, `<` and `>` are escaped, with expressions that are linear: no two alternatives of
a repetition can match the same character.
"""

from __future__ import annotations

from msgspec import Struct

DOUBLE = r'"(?:[^"\\\n]|\\.)*"?'
SINGLE = r"'(?:[^'\\\n]|\\.)*'?"
CHAR = r"'(?:[^'\\\n]|\\[^\n']{1,10}|\\')'"
BACKTICK = r"`(?:[^`\\]|\\[\s\S])*(?:`|\Z)"
TRIPLE = r'"""[\s\S]*?(?:"""|\Z)|' + r"'''[\s\S]*?(?:'''|\Z)"
HASH = r"\#[^\n]*"
SLASHES = r"//[^\n]*"
BLOCK = r"/\*[\s\S]*?(?:\*/|\Z)"
DASHES = r"--[^\n]*"
MARKUP = r"&lt;!--[\s\S]*?(?:--&gt;|\Z)"
NUMBER = r"\b(?:0[xX][\da-fA-F_]+|0[bB][01_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)(?:[a-zA-Z]\w{0,3})?\b"


class Code(Struct, frozen=True):
    """A language of words. `kinds` says by its first character what an expression found: comment (c), string (s) or
    something special (b); `words` are its keywords, `naming` those after which a name is defined.
    """

    expressions: str
    kinds: dict[str, str]
    words: str
    naming: str = ""
    ignore_case: bool = False


class Notation(Struct, frozen=True):
    """A language of lines and marks: expressions of comments (c), names (f), strings (s), words (k), marks (b), numbers (m)."""

    c: str = ""
    f: str = ""
    s: str = ""
    k: str = ""
    b: str = ""
    m: str = ""


_C_WORDS = (
    "auto break case char class const constexpr continue default delete do double else enum explicit extern false final "
    "float for friend if inline int long namespace new noexcept nullptr operator override private protected public "
    "register return short signed sizeof static struct switch template this throw true try typedef typename union unsigned "
    "using virtual void volatile while NULL bool"
)
_JS_WORDS = (
    "abstract any as async await boolean break case catch class const continue debugger declare default delete do else enum "
    "export extends false finally for from function get if implements import in infer instanceof interface is keyof let "
    "namespace never new null number object of package private protected public readonly return satisfies set static "
    "string super switch symbol this throw true try type typeof undefined unknown var void while with yield"
)


QUOTED = {'"': "s", "'": "s"}

LANGUAGES: dict[str, Code | Notation] = {
    "python": Code(
        rf"{HASH}|{TRIPLE}|{DOUBLE}|{SINGLE}|@[\w.]+",
        {"#": "c", "@": "b", **QUOTED},
        "False None True and as assert async await break case class continue def del elif else except finally for from "
        "global if import in is lambda match nonlocal not or pass raise return try type while with yield",
        "def class",
    ),
    "javascript": Code(
        f"{SLASHES}|{BLOCK}|{DOUBLE}|{SINGLE}|{BACKTICK}|@\\w+",
        {"/": "c", "`": "s", "@": "b", **QUOTED},
        _JS_WORDS,
        "function class interface",
    ),
    "c": Code(
        f"{SLASHES}|{BLOCK}|{DOUBLE}|{CHAR}|\\#[ \\t]*\\w+",
        {"/": "c", "#": "b", **QUOTED},
        _C_WORDS,
        "struct class enum namespace",
    ),
    "java": Code(
        rf'{SLASHES}|{BLOCK}|"""[\s\S]*?(?:"""|\Z)|{DOUBLE}|{CHAR}|@\w+',
        {"/": "c", "@": "b", **QUOTED},
        "abstract as assert async await base bool boolean break by byte case catch char class companion const continue "
        "data decimal default delegate do double else enum event extends extension false final finally float for foreach "
        "fun func get goto guard if implements import in init instanceof int interface internal is lateinit let long "
        "namespace native new null nil object open operator out override package private protected public readonly record "
        "ref return sealed self set short static string struct super suspend switch synchronized this throw throws "
        "transient true try typealias typeof using val var vararg virtual void volatile when where while with yield",
        "class interface fun func struct enum record",
    ),
    "go": Code(
        f"{SLASHES}|{BLOCK}|{DOUBLE}|{CHAR}|{BACKTICK}",
        {"/": "c", "`": "s", **QUOTED},
        "break case chan const continue default defer else fallthrough false for func go goto if import interface iota map "
        "nil package range return select struct switch true type var bool byte error float32 float64 int int32 int64 rune "
        "string uint uint8 uint32 uint64 any",
        "func type",
    ),
    "rust": Code(
        rf"{SLASHES}|{BLOCK}|{DOUBLE}|{CHAR}|'[a-z]\w*|\#!?\[[^\]\n]{{0,400}}\]",
        {"/": "c", "#": "b", **QUOTED},
        "Self as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move "
        "mut pub ref return self static struct super trait true type unsafe use where while bool char f32 f64 i8 i16 i32 i64 "
        "isize str u8 u16 u32 u64 usize",
        "fn struct enum trait mod",
    ),
    "ruby": Code(
        rf"{HASH}|{DOUBLE}|{SINGLE}|:[a-z_]\w*|@@?\w+",
        {"#": "c", ":": "b", "@": "b", **QUOTED},
        "BEGIN END alias and begin break case class def defined do else elsif end ensure false for if in module next nil not "
        "or redo rescue retry return self super then true undef unless until when while yield require include attr_reader "
        "attr_accessor",
        "def class module",
    ),
    "php": Code(
        rf"{SLASHES}|{BLOCK}|{HASH}|{DOUBLE}|{SINGLE}|\$\w+",
        {"/": "c", "#": "c", "$": "b", **QUOTED},
        "abstract and array as break callable case catch class clone const continue declare default do echo else elseif "
        "empty enum extends false final finally fn for foreach function global if implements include instanceof interface "
        "isset match namespace new null or print private protected public readonly require return static string switch "
        "this throw trait true try unset use var void while yield int bool float",
        "function class",
    ),
    "shell": Code(
        rf"(?<!\S){HASH}|{DOUBLE}|'[^']*(?:'|\Z)|\$(?:\w+|\{{[^}}\n]{{0,200}}\}}|[@*\#?$!-])|(?<!\S)--?[a-zA-Z][\w-]*",
        {"#": "c", "$": "b", "-": "b", **QUOTED},
        "case do done elif else esac export fi for function if in local readonly return select set then time unset until "
        "while source exit",
        "function",
    ),
    "sql": Code(
        f"{DASHES}|{BLOCK}|'(?:[^']|'')*(?:'|\\Z)|{DOUBLE}",
        {"-": "c", "/": "c", **QUOTED},
        "add all alter and as asc begin between by case cast check column commit constraint create cross database default "
        "delete desc distinct drop else end exists explain false for foreign from full group having if in index inner "
        "insert into is join key left like limit not null offset on or order outer over partition primary references "
        "returning right rollback select set table then true union unique update using values view when where with",
        ignore_case=True,
    ),
    "lua": Code(
        rf"--\[\[[\s\S]*?(?:\]\]|\Z)|{DASHES}|{DOUBLE}|{SINGLE}|\[\[[\s\S]*?(?:\]\]|\Z)",
        {"-": "c", "[": "s", **QUOTED},
        "and break do else elseif end false for function goto if in local nil not or repeat return then true until while",
        "function",
    ),
    "haskell": Code(
        rf"\{{-[\s\S]*?(?:-\}}|\Z)|{DASHES}|{DOUBLE}",
        {"{": "c", "-": "c", '"': "s"},
        "as case class data default deriving do else forall foreign hiding if import in infix instance let module newtype of "
        "qualified then type where",
        "data newtype class type",
    ),
    "elixir": Code(
        rf"{HASH}|{TRIPLE}|{DOUBLE}|:[a-z_]\w*|@\w+",
        {"#": "c", ":": "b", "@": "b", **QUOTED},
        "after alias and case catch cond def defimpl defmacro defmodule defp defstruct do else end false fn for if import in "
        "nil not or quote raise receive require rescue true try unless unquote use when with",
        "def defp defmodule defmacro",
    ),
    "docker": Code(
        rf"{HASH}|{DOUBLE}|{SINGLE}|\$(?:\w+|\{{[^}}\n]{{0,200}}\}})|(?<!\S)--?[a-zA-Z][\w-]*",
        {"#": "c", "$": "b", "-": "b", **QUOTED},
        "ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR",
    ),
    "make": Code(
        rf"{HASH}|{DOUBLE}|{SINGLE}|\$[({{][^)}}\n]{{0,200}}[)}}]|\$[@^*]",
        {"#": "c", "$": "b", **QUOTED},
        "ifeq ifdef ifneq else endif include export define endef",
    ),
    "json": Notation(
        c=f"(?m:^[ \\t]*{SLASHES})|{BLOCK}",
        f=r'"(?:[^"\\\n]|\\.)*"(?=\s{0,20}:)',
        s=DOUBLE,
        k=r"\b(?:true|false|null)\b",
        m=NUMBER,
    ),
    "yaml": Notation(
        c=r"(?<!\S)\#[^\n]*",
        f=r"(?m:^[ \t]*(?:- +)?[\w./-]+(?=:(?:\s|$)))",
        s=f"{DOUBLE}|(?<!\\w){SINGLE}",
        k=r"\b(?:true|false|null|yes|no|on|off)\b",
        b=r"(?<!\w)[&*]\w+",
        m=NUMBER,
    ),
    "ini": Notation(
        c=r"(?m:^[ \t]*[#;][^\n]*)|(?<=\s)\#[^\n]*",
        f=r'(?m:^[ \t]*[\w."-]+(?=[ \t]*=))',
        b=r"(?m:^[ \t]*\[[^\]\n]*\]+)",
        s=f"{TRIPLE}|{DOUBLE}|{SINGLE}",
        k=r"\b(?:true|false)\b",
        m=NUMBER,
    ),
    "css": Notation(
        c=f"{BLOCK}|(?m:^[ \\t]*{SLASHES})",
        s=f"{DOUBLE}|{SINGLE}",
        f=r"(?<![\w-])--[\w-]+|(?<=[{;\s])[a-z-]+(?=\s{0,10}:[^:])",
        b=r"@[\w-]+|[.\#][a-zA-Z_][\w-]*(?=[^;{}\n]{0,200}\{)",
        k=r"!important\b",
        m=r"\#[\da-fA-F]{3,8}\b|\b\d+(?:\.\d+)?(?:%|[a-z]{1,5}\b)?",
    ),
    "html": Notation(
        c=MARKUP,
        f=r"(?<=&lt;)/?[a-zA-Z][\w:.-]*",
        b=r"(?<=\s)[@:a-zA-Z][\w:.-]*(?==)",
        s=r'(?<==)"[^"]*(?:"|\Z)' + r"|(?<==)'[^']*(?:'|\Z)",
    ),
    "markdown": Notation(
        c=r"(?m:^&gt;[^\n]*)|" + MARKUP,
        s=r"```[\s\S]*?(?:```|\Z)|`[^`\n]+`",
        f=r"(?m:^\#{1,6} [^\n]*)",
        b=r"(?m:^[ \t]*(?:[-*+]|\d+\.) )",
    ),
    "diff": Notation(f=r"(?m:^@@[^\n]*)", s=r"(?m:^\+[^\n]*)", b=r"(?m:^-[^\n]*)"),
}

_NAMES = {
    "python": "python py python3 pyi ipython pycon sage bzl starlark",
    "javascript": "javascript js jsx ts tsx typescript mjs cjs mts cts vue svelte",
    "c": "c h cpp cc cxx hpp hh hxx c++ objc m mm arduino ino cuda cu glsl",
    "java": "java kotlin kt kts scala cs csharp c# swift dart groovy gradle",
    "go": "go golang",
    "rust": "rust rs",
    "ruby": "ruby rb rake gemspec",
    "php": "php",
    "shell": "shell sh bash zsh fish console shell-session ksh powershell ps1",
    "sql": "sql postgres postgresql sqlite mysql plpgsql",
    "json": "json jsonc json5 jsonl ndjson ipynb",
    "yaml": "yaml yml",
    "ini": "ini toml cfg conf properties env editorconfig",
    "css": "css scss sass less",
    "html": "html htm xml svg xhtml jinja j2 plist xsl",
    "markdown": "markdown md mdx",
    "diff": "diff patch",
    "lua": "lua",
    "haskell": "haskell hs elm",
    "elixir": "elixir ex exs",
    "make": "make makefile mk",
    "docker": "docker dockerfile containerfile",
}

BY_NAME: dict[str, str] = {name: language for language, names in _NAMES.items() for name in names.split()}
"""Names in code fences, and suffixes, to languages."""

BY_FILE = {"makefile": "make", "dockerfile": "docker", "containerfile": "docker", "gemfile": "ruby", "rakefile": "ruby"}
