# SPDX-License-Identifier: Apache-2.0
"""A stand-in for bpy of later versions: Blender 3.4's own, less what a later one lacks, with what that one brought.

`pretend((5, 0, 0))` says which. Code that `compiled` makes, and modules of the add-on that are imported after it, ask
here for each attribute and item that they read or set. What is gone is refused as that Blender refuses it, with the
version in which it went; `hasattr` and `put` find out by that. What Blender does not own goes straight through.

From the change logs of docs.blender.org/api/VERSION, and the release notes on Python of developer.blender.org."""
import ast
import builtins
import importlib.machinery
import sys

import bpy

# Type: names, since, what there is in their place. A type stands for those derived from it.
GONE = [
    ((3, 5), "CyclesMaterialSettings", "sample_as_light", "emission_sampling"),
    ((4, 0), "Bone Armature EditBone", "layers", "collections of bones"),
    ((4, 0), "Camera", "cycles", "Camera itself"),
    ((4, 0), "Light", "falloff_type falloff_curve shadow_buffer_size", "nodes"),
    ((4, 0), "Mesh", "calc_normals face_maps", "normals are always there; attributes"),
    ((4, 0), "MeshEdge MeshVertex", "bevel_weight crease", "attributes of the mesh"),
    ((4, 0), "NodeTree", "inputs outputs", "interface"),
    ((4, 0), "Object", "face_maps", "attributes of the mesh"),
    ((4, 0), "ops.export_scene ops.import_scene", "obj", "ops.wm.obj_export, obj_import"),
    ((4, 1), "Mesh", "use_auto_smooth auto_smooth_angle calc_normals_split create_normals_split free_normals_split",
     "sharp edges are the mesh's own"),
    ((4, 1), "ID", "override_template_create", "override_create"),
    ((4, 2), "CyclesLightSettings", "cast_shadow", "Light.use_shadow"),
    ((4, 2), "ops.import_mesh ops.export_mesh", "stl", "ops.wm.stl_import, stl_export"),
    ((5, 0), "Action", "fcurves groups id_root", "curves are in channelbags"),
    ((5, 0), "BlendData", "grease_pencils_v3", "annotations"),
    ((5, 0), "Bone", "select select_head select_tail", "those of the pose"),
    ((5, 0), "CyclesRenderSettings", "volume_step_rate volume_max_steps", "nothing, but with volume_biased"),
    ((5, 0), "Scene", "node_tree use_nodes", "compositing_node_group"),
    ((5, 0), "SequenceEditor", "sequences sequences_all", "strips"),
    ((5, 0), "ops.wm", "collada_import collada_export", "nothing"),
    ((6, 0), "Light Material World", "use_nodes", "it is always true from 5.0 on, and announced to go"),
]
VALUES_GONE = [  # (since, until): an enumeration's value that is not there
    ((4, 2), (5, 0), "RenderSettings", "engine", "BLENDER_EEVEE", "BLENDER_EEVEE_NEXT"),
    ((5, 0), None, "RenderSettings", "engine", "BLENDER_EEVEE_NEXT", "BLENDER_EEVEE"),
]
NODES_GONE = {"ShaderNodeMixRGB": ((3, 4), "ShaderNodeMix"), "ShaderNodeSeparateRGB": ((3, 3), "ShaderNodeSeparateColor"),
              "ShaderNodeCombineRGB": ((3, 3), "ShaderNodeCombineColor"), "ShaderNodeTexMusgrave": ((4, 1), "ShaderNodeTexNoise")}
MODULES_GONE = {"bgl": ((5, 0), "gpu")}
SOCKETS = {  # of ShaderNodeBsdfPrincipled, 4.0; None: there is no such
    "Specular": "Specular IOR Level", "Emission": "Emission Color", "Subsurface": "Subsurface Weight",
    "Subsurface Color": None, "Transmission": "Transmission Weight", "Transmission Roughness": None,
    "Clearcoat": "Coat Weight", "Clearcoat Roughness": "Coat Roughness", "Clearcoat Normal": "Coat Normal",
    "Sheen": "Sheen Weight"}
NO_ITEMS = [((5, 0), "AddonPreferences")]  # hold no properties of one's own
version = (3, 4, 1)
asked = set()  # the rows of GONE that somebody asked for
refused = []  # what was refused though nobody looked first: Blender swallows what its callbacks raise


def refuse(kind, why):
    refused.append(why)
    raise kind(why)


def curves_layers(action):
    """From 4.4 on: an action's layers, as far as curves go."""
    bag = type("ActionChannelbag", (), {"fcurves": action.fcurves})
    return [type("ActionLayer", (), {"strips": [type("ActionStrip", (), {"channelbags": [bag]})]})]


def tree(owner):
    """From 5.0 on it is there without use_nodes."""
    owner.use_nodes = True
    return owner.node_tree


NEW = {("Action", "layers"): ((4, 4), curves_layers),
       **{(kind, "node_tree"): ((5, 0), tree) for kind in ("Light", "Material", "World")},
       ("Mesh", "set_sharp_from_angle"): ((4, 1), lambda mesh: lambda angle=3.14: None)}


def kinds(x):
    """Names of the types that x is of."""
    if type(x) is type(sys) and x.__name__.startswith("bpy.ops."):
        return [x.__name__.removeprefix("bpy.")]
    return [kind.__name__ for kind in type(x).__mro__] if isinstance(x, bpy.types.bpy_struct) else []


def dotted(since):
    return ".".join(map(str, since))


def row_of(x, name):
    """Why x lacks the name, or None."""
    own = kinds(x)
    for since, types, names, instead in GONE if own else ():
        if version >= since and name in names.split() and set(own) & set(types.split()):
            asked.add((since, name))
            return f"{own[0]}.{name}: gone since Blender {dotted(since)}; instead: {instead}"
    return None


def new_of(x, name):
    return next((make for kind in kinds(x) for since, make in [NEW.get((kind, name), ((99, 0), None))] if version >= since), None)


class Sockets:
    """Inputs of a node under the names that they have in the version."""

    def __init__(self, node):
        self.real = node.inputs
        self.names = SOCKETS if version >= (4, 0) and node.bl_idname == "ShaderNodeBsdfPrincipled" else {}
        self.old = {new: old for old, new in self.names.items() if new}

    def __contains__(self, name):
        return name in self.old or name in self.real and name not in self.names

    def __getitem__(self, name):
        if name in self.names:
            refuse(KeyError, f"ShaderNodeBsdfPrincipled has no socket {name} since Blender 4.0; instead: {self.names[name]}")
        return self.real[self.old.get(name, name)]

    def __iter__(self):
        return iter(self.real)

    def __len__(self):
        return len(self.real)


def node_new(nodes):
    def new(type):
        since, instead = NODES_GONE.get(type, ((99, 0), None))
        if version >= since:
            refuse(RuntimeError, f"node type {type}: gone since Blender {dotted(since)}; instead: {instead}")
        return nodes.new(type)
    return new


class Operator:
    """One of bpy.ops."""

    def __init__(self, real):
        self.real = real

    def __call__(self, *words, **wish):
        if version >= (4, 0) and words and isinstance(words[0], dict):
            refuse(ValueError, f"{self.real.idname()}: no dictionary of a context since Blender 4.0; instead: temp_override")
        return self.real(*words, **wish)

    def __getattr__(self, name):
        return getattr(self.real, name)


def get(x, name, *default):
    if x is bpy.app and name in ("version", "version_string"):
        return version if name == "version" else dotted(version)
    why, made = row_of(x, name), new_of(x, name)
    if why and default:
        return default[0]
    if why:
        raise AttributeError(why)
    if made:
        return made(x)
    found = getattr(x, name, *default)
    if name == "inputs" and isinstance(x, bpy.types.Node):
        return Sockets(x)
    if name == "new" and isinstance(getattr(x, "__self__", x), bpy.types.bpy_prop_collection) and "nodes" in repr(x):
        return node_new(x)
    return Operator(found) if type(found).__name__ == "_BPyOpsSubModOp" else found


def read(x, name):
    """x.name"""
    why = row_of(x, name)
    return refuse(AttributeError, why) if why else get(x, name)


def write(x, name, value):
    """x.name = value"""
    why = row_of(x, name)
    return refuse(AttributeError, why) if why else put(x, name, value)


def has(x, name):
    try:
        get(x, name)
    except AttributeError:
        return False
    return True


def put(x, name, value):
    why = row_of(x, name)
    if why:
        raise AttributeError(why)
    for since, until, kind, key, gone, instead in VALUES_GONE:
        if name == key and value in (gone, instead) and kind in kinds(x) and version >= since and (not until or version < until):
            if value == gone:
                refuse(TypeError, f'{kind}.{key} = "{gone}": gone since Blender {dotted(since)}; instead: {instead}')
            value = "BLENDER_EEVEE"  # as 3.4 calls it
    setattr(x, name, value)


def item_check(x, key):
    """From 5.0 on what bpy.props has defined is no item."""
    own = kinds(x)
    since = next((s for s, kind in NO_ITEMS if kind in own and version >= s), None)
    if since:
        refuse(TypeError, f"{own[0]}: this type holds no properties of one's own since Blender {dotted(since)}")
    if version >= (5, 0) and own and isinstance(key, str) and key in x.bl_rna.properties and x.bl_rna.properties[key].is_runtime:
        refuse(KeyError, f"{own[0]}[{key!r}]: what bpy.props defines is no item since Blender 5.0; instead: .{key}")


def item(x, key):
    item_check(x, key)
    return x[key]


class Owner:
    """What is to the left of a dot or bracket that is set."""

    def __init__(self, real):
        object.__setattr__(self, "real", real)

    def __getattribute__(self, name):
        return read(object.__getattribute__(self, "real"), name)

    def __setattr__(self, name, value):
        write(object.__getattribute__(self, "real"), name, value)

    def __delattr__(self, name):
        delattr(object.__getattribute__(self, "real"), name)

    def __getitem__(self, key):
        return item(object.__getattribute__(self, "real"), key)

    def __setitem__(self, key, value):
        real = object.__getattribute__(self, "real")
        item_check(real, key)
        real[key] = value

    def __delitem__(self, key):
        del object.__getattribute__(self, "real")[key]


def module(name):
    since, instead = MODULES_GONE.get(name.split(".")[0], ((99, 0), None))
    if version >= since:
        refuse(ImportError, f"{name}: gone since Blender {dotted(since)}; instead: {instead}")


# ---- code that asks ----

ASK = {"read": read, "item": item, "owner": lambda x: Owner(x) if kinds(x) else x, "module": module,
       "getattr": get, "hasattr": has, "setattr": put}


class Asking(ast.NodeTransformer):
    def call(self, name, *words):
        return ast.Call(ast.Name("later_" + name, ast.Load()), list(words), [])

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            return self.call("read", node.value, ast.Constant(node.attr))
        node.value = self.call("owner", node.value)
        return node

    def visit_Subscript(self, node):
        self.generic_visit(node)
        if any(isinstance(part, ast.Slice) for part in ast.walk(node.slice)):
            return node
        if isinstance(node.ctx, ast.Load):
            return self.call("item", node.value, node.slice)
        node.value = self.call("owner", node.value)
        return node

    def visit_Name(self, node):
        if node.id in ("getattr", "hasattr", "setattr", "compile"):
            node.id = "later_" + node.id
        return node

    def visit_Import(self, node):
        return [ast.Expr(self.call("module", ast.Constant(one.name))) for one in node.names] + [node]

    def visit_ImportFrom(self, node):
        return [ast.Expr(self.call("module", ast.Constant(node.module))), node] if node.module and not node.level else node


def compiled(text, path, mode="exec"):
    tree = Asking().visit(ast.parse(text, path, mode))
    return compile(ast.fix_missing_locations(tree), path, mode)


def pretend(wanted):
    """From now on this is Blender `wanted`; the add-on is to be imported anew."""
    global version
    version = wanted
    for name in [n for n in sys.modules if "billow_addon" in n.split(".")]:
        del sys.modules[name]


class Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, name):
        path = self.get_filename(name)
        return compiled(self.get_data(path), path)


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if "billow_addon" not in name.split("."):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec:
            spec.loader = Loader(spec.loader.name, spec.loader.path)
        return spec


sys.meta_path.insert(0, Finder)
for name, function in {**ASK, "compile": compiled}.items():
    setattr(builtins, "later_" + name, function)
