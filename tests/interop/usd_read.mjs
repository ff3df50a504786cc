// SPDX-License-Identifier: Apache-2.0
// usd_read.mjs NODE_MODULES STAGE.usda FACTS: a stage of `billow blender --scene` by two readers that are not ours, the
// loader of three and tinyusdz, both of npm. FACTS is JSON: what the preset says of camera, obstacles and frames.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, path, wanted] = process.argv.slice(2);
const facts = JSON.parse(wanted), bytes = readFileSync(path), text = bytes.toString();
const from = (file) => import(pathToFileURL(resolve(modules, file)));
const near = (a, b, by, what) => {
    if (a.length !== b.length || a.some((x, i) => !(Math.abs(x - b[i]) <= by))) throw new Error(`${what}: ${a}, not ${b}`);
};
const same = (a, b, what) => {
    if (JSON.stringify(a) !== JSON.stringify(b)) throw new Error(`${what}: ${JSON.stringify(a)}, not ${JSON.stringify(b)}`);
};

// ---- three: what each attribute is over the frames, and the scene that comes of it ----

const { USDAParser } = await from('three/examples/jsm/loaders/usd/USDAParser.js');
const { USDLoader } = await from('three/examples/jsm/loaders/USDLoader.js');
const specs = new USDAParser().parseData(text).specsByPath;
const head = specs['/'].fields, root = '/' + head.defaultPrim;
const first = new USDAParser().parseText(text)['#usda 1.0'];
same([first.startTimeCode, first.endTimeCode].map(Number), facts.frames, 'frames');
near([head.timeCodesPerSecond, head.metersPerUnit], [facts.fps, facts.unit], 1e-6, 'rate and unit');
same(head.upAxis, facts.up, 'up axis');

const prims = (type) => Object.keys(specs).filter((p) => specs[p].fields.typeName === type && !p.includes('.')).sort();
const samples = (prim, name) => specs[`${prim}.${name}`].fields.timeSamples;
same(prims('OpenVDBAsset').map((p) => p.split('/').pop()), facts.grids, 'grids');
for (const grid of prims('OpenVDBAsset'))
    same(samples(grid, 'filePath').times, facts.samples, `times of ${grid}`);
same(prims('DomeLight').length, 1, 'skies');
same(prims('DistantLight').length + prims('SphereLight').length, facts.lights, 'lights');

const place = (m) => m.slice(12, 15);
const eye = specs[`${root}/camera.xformOp:transform`].fields.default;
for (const [i, distance] of facts.distances.entries()) { // it goes along its own axis, which points away from what it sees
    const { times, values } = samples(`${root}/camera`, 'xformOp:transform');
    same(times, facts.samples, 'times of the camera');
    const back = eye.slice(8, 11), way = distance - facts.distances[0];
    near(place(values[i]), place(eye).map((x, a) => x + (way * back[a]) / facts.unit), 1e-4, `camera at ${times[i]}`);
}
for (const [name, keys] of Object.entries(facts.moves)) {
    const { times, values } = samples(`${root}/${name}`, 'xformOp:transform');
    same(times, facts.samples, `times of ${name}`);
    values.forEach((m, i) => near(place(m), keys[i], 1e-4, `${name} at ${times[i]}`));
}

const seen = {};
const scene = new USDLoader().parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
scene.traverse((thing) => { seen[thing.name] ??= thing; });
for (const [name, mesh] of Object.entries(facts.meshes)) {
    const thing = seen[name];
    if (!thing?.isMesh) throw new Error(`three has no mesh ${name}`);
    const count = thing.geometry.index?.count ?? thing.geometry.attributes.position.count;
    same(count, 3 * mesh.triangles, `corners of ${name}`);
    thing.geometry.computeBoundingBox();
    const { min, max } = thing.geometry.boundingBox.applyMatrix4(thing.matrix);
    if (mesh.box) near([...min.toArray(), ...max.toArray()], mesh.box, 1e-4, `box of ${name}`);
}
near(seen.camera.position.toArray(), place(eye), 1e-4, "three's camera");
if (Math.hypot(...place(eye)) < 0.5 / facts.unit) throw new Error(`the camera stands in the smoke: ${place(eye)}`);

// ---- tinyusdz: made for pages alone, so that it is told that this is one ----

process.type = 'renderer';
globalThis.window = globalThis;
globalThis.document = { currentScript: { src: '' } };
const { default: start } = await from('tinyusdz/tinyusdz.js');
const { TinyUSDZLoaderNative } = await start({ wasmBinary: readFileSync(resolve(modules, 'tinyusdz/tinyusdz.wasm')) });
const tiny = new TinyUSDZLoaderNative();
if (!tiny.loadFromBinary(new Uint8Array(bytes), 'stage.usda')) throw new Error(`tinyusdz: ${tiny.error()}`);
same(tiny.numMeshes(), Object.keys(facts.meshes).length, 'meshes of tinyusdz');
const nodes = [];
const collect = (node) => (nodes.push(node), node.children.forEach(collect));
collect(tiny.getDefaultRootNode());
for (const [name, mesh] of Object.entries(facts.meshes)) {
    const node = nodes.find((n) => n.primName === name);
    if (!node || node.nodeType !== 'mesh') throw new Error(`tinyusdz has no mesh ${name}`);
    same(tiny.getMesh(node.contentId).faceVertexIndices.length, 3 * mesh.triangles, `corners of ${name} in tinyusdz`);
}
for (const [name, at] of Object.entries(facts.bodies ?? {})) { // in a stage of their own, to which this one refers
    const layer = new TinyUSDZLoaderNative();
    layer.loadAsLayerFromBinary(new Uint8Array(bytes), 'stage.usda');
    const [reference] = layer.extractReferencesAssetPaths();
    layer.setAsset(reference, new Uint8Array(readFileSync(resolve(dirname(path), reference))));
    if (!layer.composeReferences() || !layer.layerToRenderScene()) throw new Error(`tinyusdz: ${layer.error()}`);
    nodes.length = 0;
    collect(layer.getDefaultRootNode());
    near(nodes.find((n) => n.primName === name).globalMatrix.slice(12, 15), at, 1e-4, name);
}
console.log(`${path}: ${Object.keys(seen).length} things by three, ${nodes.length} prims by tinyusdz`);
