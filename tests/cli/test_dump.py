# SPDX-License-Identifier: Apache-2.0
"""omen devices --dump: writes the input of a device's compiler as files."""
import os
import re

from cli import Case, main, model

MUTEX = model("mutex.dve")


class Dump(Case):
    def dump(self, *args, **more):
        """Returns the files by name."""
        folder = self.path("dump")
        said = self.expect(0, "devices", "--dump", folder, *args, **more).stdout
        files = {}
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                files[name] = f.read()
        self.assertEqual([line.split(":")[0] for line in said.splitlines()],
                         [name for name in files if name.endswith(".cl")])
        self.assertEqual({name[:-3] for name in files if name.endswith(".cl")},
                         {name[:-8] for name in files if name.endswith(".options")})
        return files

    def test_exploration(self):
        files = self.dump(MUTEX)
        self.assertEqual(list(files), ["01-explore-om_k_put.cl", "01-explore-om_k_put.options",
                                       "02-explore-om_k_expand.cl", "02-explore-om_k_expand.options"])
        self.assertRegex(files["02-explore-om_k_expand.cl"], r"om_gen_effect(?s:.*)OM_KERNEL om_k_expand")
        # Options for a GPU: one state for each work-item.
        self.assertRegex(files["02-explore-om_k_expand.options"],
                         r"^-cl-std=CL1\.2 -DOM_BATCH=1 .*-DOM_PRODUCT=0 .*\n$")

    def test_properties(self):
        files = self.dump(MUTEX, "--ltl", "G F A.crit", "--ltl", "G A.crit")
        self.assertEqual([name for name in files if name.endswith(".cl")],
                         ["01-property1-weak-om_k_intern.cl", "02-property1-weak-om_k_expand.cl",
                          "03-property2-terminal-om_k_put.cl", "04-property2-terminal-om_k_expand.cl"])
        self.assertIn("-DOM_WEAK=1", files["01-property1-weak-om_k_intern.options"])
        self.assertIn("-DOM_PRODUCT=1", files["02-property1-weak-om_k_expand.options"])

    def test_strong_part(self):
        """It runs on the CPU, unless a checker that uses a device is named."""
        files = self.dump(MUTEX, "--ltl", "!(G F A.crit & G F B.crit)")
        self.assertEqual([name for name in files if name.endswith(".cl")],
                         ["01-property1-strong-om_k_hold.cl", "02-property1-strong-om_k_intern.cl",
                          "03-property1-strong-om_k_expand.cl"])

    def test_nothing_for_a_device(self):
        said = self.expect(0, "devices", "--dump", self.path("dump"), MUTEX, "--ltl", "true").stdout
        self.assertEqual(said, "nothing: no part of this runs on a device\n")

    def test_one_device(self):
        files = self.dump(MUTEX, "--device", "host")
        text = files["02-explore-om_k_expand.cl"]
        self.assertTrue(text.startswith("#define OM_HOST_TEXT\n#define OM_BATCH 2\n"), text[:80])
        self.assertTrue(re.search(r"void om_host_kernel_0\(", text))
        self.assertIn("-std=c11", files["02-explore-om_k_expand.options"])

    def test_several_devices(self):
        """Devices exchange candidates, and each gets its own programs."""
        two = {"POCL_DEVICES": "basic basic", "ASAN_OPTIONS": "detect_leaks=0:use_sigaltstack=0"}
        if not re.search(r"^1: .*\(cpu\)$", self.expect(0, "devices", env=two).stdout, re.M):
            self.skipTest("there are no two devices")
        files = self.dump(MUTEX, "--device", "0,1", env=two)
        texts = [name for name in files if name.endswith(".cl")]
        self.assertEqual(len(texts), 6)
        self.assertEqual(sum("om_k_share" in name for name in texts), 2)

    def test_usage(self):
        self.refused(2, "--dump needs a model", "devices", "--dump", self.path("dump"))
        self.refused(2, "a model is only for --dump FOLDER", "devices", MUTEX)
        self.refused(2, "--device none", "devices", "--dump", self.path("dump"), MUTEX, "--device", "none")
        self.refused(3, "bad.dve:", "devices", "--dump", self.path("dump"), model("bad.dve"))
        with open(self.path("file"), "w", encoding="utf-8"):
            pass
        self.refused(3, "file.*Not a directory", "devices", "--dump", self.path("file"), MUTEX)


if __name__ == "__main__":
    main()
