"""Numbers on a command line are decimal, and names are taken in any letter case: every option of
every program, as their own help lists them."""
import pytest

from support import help_pages, programs

NUMBERS = ("UINT", "INT", "FLOAT", "N")
BAD = ["0x10", "", " 5", "5 ", "+5", "-5", "1e3", "5x", "18446744073709551616", "99999999999999999999999"]
# Options that are written as text since a unit may follow the number, with a command line that is
# otherwise right.
SIZES = {
    ("volt", "--size"): ["create", "new.hc", "--password-file", "password"],
    ("volt", "--hidden-size"): ["create", "new.hc", "--size", "4M", "--password-file", "password",
                                "--pim", "1", "--quick", "--hidden-password-file", "other"],
    ("voltest", "--size"): ["seq", "image", "--read-only"],
    ("voltest", "--runtime"): ["seq", "image", "--read-only"],
    ("voltest", "--stall"): ["seq", "image", "--read-only"],
    ("voltest", "--block-size"): ["seq", "image", "--read-only"],
    ("voltest", "--buffer"): ["cpu", "--loops", "1"],
}
MORE_SIZES = [
    ("volt", "--size", ["expand", "image", "--password-file", "password"]),
    ("voltest", "--size", ["verify", "image"]),
    ("voltest", "--size", ["rand", "image", "--read-only"]),
    ("voltest", "--size", ["compare", "image", "--baseline", "image", "--read-only"]),
    ("voltest", "--size", ["matrix", "--dir", "."]),
    ("voltest", "--fill", ["matrix", "--dir", "."]),
]


def refused(program, option, arguments):
    """A wrong parameter: exit status 1 and one line that names the option."""
    done = programs.run(help_pages.PROGRAMS[program], *arguments, status=1, words=option)
    assert done.err.startswith(f"{program}: "), done
    assert done.err.count("\n") == 1, done
    return done.err


def test_every_numeric_option_takes_decimal_digits_only(work):
    tried = 0
    for program, words, option, kind in help_pages.valued_options():
        if kind not in NUMBERS:
            continue
        tried += 1
        for bad in BAD:
            if kind == "FLOAT" and bad.isdigit():
                continue  # a percentage, whose range is looked at with the rest
            said = refused(program, option, [*words, option, bad])
            assert "must be" in said, said
            assert len(bad) < 3 or bad not in said, said
    assert tried >= 20  # of all three programs: the help was read


def test_every_size_and_time_takes_decimal_digits_only(work, image, password_file):
    (work / "other").write_text("another")
    listed = {(program, option) for program, _, option, kind in help_pages.valued_options()
              if kind == "TEXT" and option.endswith(("size", "runtime", "stall", "buffer"))}
    assert listed <= set(SIZES), "a size that this test does not know"
    cases = [(program, option, rest) for (program, option), rest in SIZES.items()] + MORE_SIZES
    for program, option, rest in cases:
        for bad in BAD:
            refused(program, option, [*rest, option, bad])
            assert not (work / "new.hc").exists()


def test_a_leading_zero_is_decimal(work, password_file):
    made = ("create", "--size", "0400K", "--quick", "--password-file", password_file)
    programs.volt(*made, "--pim", "010", work / "c.hc")
    assert (work / "c.hc").stat().st_size == 400 << 10
    info = ("info", work / "c.hc", "--password-file", password_file, "--prf", "sha512", "--json")
    assert '"pim": 10' in programs.volt(*info, "--pim", "10").out
    assert '"pim": 10' in programs.volt(*info, "--pim", "0010").out
    programs.volt(*info, "--pim", "8", status=2)


@pytest.mark.parametrize("name", [
    "stripe:0x10K:image,image", "stripe:+64K:image,image", "stripe: 64K:image,image",
    "stripe::image,image", "stripe:18014398509481984K:image,image",
    "fault:failed-read@0x1:image", "fault:failed-read@+1:image", "fault:failed-read@:image",
    "fault:failed-read@1x-1:image", "fault:failed-read@1x:image", "fault:failed-read,0x7:image",
    "fault:failed-read@99999999999999999999:image", "fault:failed-read,:image",
    "model:hdd-5400@+50:image", "model:hdd-5400x0x2:image", "model:hdd-5400@:image"])
def test_numbers_in_a_container_s_name_are_decimal(work, image, fuse, name):
    (work / "m").mkdir()
    programs.volt("open", "--testing", "--plain", name, work / "m", status=1,
                  words=name.split(":")[0] + ":")


def test_a_decimal_number_in_a_container_s_name_may_begin_with_zero(open_volume, image):
    volume = open_volume("fault:Failed-Write@0999x01,010:" + str(image), "--plain", "--testing")
    assert volume.read(0, 4096) == image.read_bytes()[:4096]


def test_names_in_any_letter_case(work, password_file, open_volume):
    file = work / "c.hc"
    programs.volt("create", file, "--size", "400K", "--quick", "--password-file", password_file,
                  "--pim", "1", "--prf", "HMAC-SHA-512", "--cipher", "AES-Twofish", "--format",
                  "VeraCrypt", "--fs", "None")
    info = programs.volt("info", file, "--password-file", password_file, "--pim", "1", "--prf",
                         "SHA-512", "--cipher", "AES(Twofish)", "--format", "VERACRYPT", "--json").out
    assert '"cipher": "aes-twofish"' in info and '"prf": "sha512"' in info
    volume = open_volume(file, "--cipher", "Aes-TwoFish", "--io", "Threads", "--direct", "OFF",
                         "--on-violation", "Read-Only")
    assert volume.status["cipher"] == "aes-twofish"


def test_truecrypt_in_any_letter_case_is_truecrypt(work, password_file):
    programs.volt("create", work / "t.tc", "--size", "400K", "--quick", "--format", "TrueCrypt",
                  "--password-file", password_file)
    assert '"format": "truecrypt"' in programs.volt(
        "info", work / "t.tc", "--format", "truecrypt", "--password-file", password_file, "--json").out


def test_voltest_takes_names_in_any_letter_case(work, image):
    programs.voltest("kdf", "--prf", "SHA-512", "--pim", "01", "--loops", "1")
    out = programs.voltest("cpu", "--cipher", "Serpent", "--buffer", "4k", "--threads", "1", "--loops",
                           "1", "--selected").out
    assert "serpent" in out
    programs.voltest("seq", image, "--read-only", "--engine", "THREADS", "--profile", "Standard",
                     "--rw", "Read", "--runtime", "50ms", "--loops", "1", "--size", "1M")


@pytest.mark.parametrize("option", ["--prf", "--format", "--cipher", "--io", "--direct",
                                    "--on-violation"])
def test_an_unknown_name_is_answered_with_the_known_ones_and_not_repeated(work, image, option):
    (work / "m").mkdir()
    for program in (programs.volt, programs.voltd):
        command = ["open"] if program is programs.volt else []
        program(*command, image, work / "m", option, programs.PASSWORD, status=1, words=option)
    programs.volt("open", image, work / "m", option, "", status=1, words=option)
