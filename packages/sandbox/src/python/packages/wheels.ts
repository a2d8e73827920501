/**
 * A program of Python that makes the wheels of `/wheels` importable: wheels of pure Python in place, without copying; each
 * process unpacks the others, whose names it records. Imports the packages of some names, so that a snapshot has them.
 */
export function loadWheels(names: readonly string[]): string {
  return `
def load_wheels(names):
    import importlib, os, re, sys, sysconfig, zipfile
    import envs_driver
    envs_driver.unpacked = []
    envs_driver.packages = sysconfig.get_path("purelib")
    if not os.path.isdir("/wheels"):
        return
    modules = []
    for file in sorted(os.listdir("/wheels")):
        members = [name for name in zipfile.ZipFile("/wheels/" + file).namelist()
            if ".dist-info/" not in name and not name.endswith("/")]
        if not all(name.endswith((".py", ".pyi", "py.typed")) for name in members):
            envs_driver.unpacked.append(file)
            continue
        sys.path.append("/wheels/" + file)
        if re.sub("[-_.]+", "-", file.split("-")[0]).lower() in names:
            modules += {name.split("/")[0] for name in members if re.fullmatch("[^/]+/__init__.py", name)}
    for module in sorted(modules):
        before = set(sys.modules)
        try:
            importlib.import_module(module)
        except BaseException:
            for name in set(sys.modules) - before:
                del sys.modules[name]

load_wheels(${JSON.stringify(names)})
del load_wheels
`;
}
