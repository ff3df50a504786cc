// SPDX-License-Identifier: Apache-2.0
// Edits of a preset's YAML that keep the rest of the text as it is, comments included: a value is replaced, inserted or
// removed at the byte offsets that the server's tree has.

const bytes = (text) => Array.from(new TextEncoder().encode(text), (b) => String.fromCharCode(b)).join('');
const text = (binary) => new TextDecoder().decode(Uint8Array.from(binary, (c) => c.charCodeAt(0)));

/** A value as YAML in one line; {raw} is written as it is. */
export function yaml(value) {
  if (Array.isArray(value)) return `[${value.map(yaml).join(', ')}]`;
  if (value && typeof value === 'object')
    return 'raw' in value ? value.raw : `{${Object.entries(value).map(([k, v]) => `${yaml(k)}: ${yaml(v)}`).join(', ')}}`;
  const plain = String(value);
  return /^[\w.+-][\w.+\-/^ ]*$/.test(plain) && !/^-( |$)| $/.test(plain) ? plain : JSON.stringify(plain);
}

const get = (node, key) => node.map && (node.map.find(([k]) => k === key) || [])[1];

/** The item of a list of stages or exporters with that id: {item, type, inside: its node}. */
function entryFind(tree, section, id) {
  const list = get(tree, section);
  for (const item of (list && list.list) || []) {
    const [type, inside] = item.map ? item.map[0] : [item.text, item];
    const own = inside.map && get(inside, 'id');
    if ((own ? own.text : type) === id) return { item, type, inside };
  }
  return null;
}

/** The node of the text at a path of keys, list items by their ids. null: the text does not have it. */
export function nodeAt(tree, path) {
  let node = tree;
  for (let i = 0; i < path.length && node; i++) {
    if (i === 1 && (path[0] === 'stages' || path[0] === 'export')) {
      const entry = entryFind(tree, path[0], path[1]);
      node = entry && entry.inside;
    } else {
      node = get(node, path[i]);
    }
  }
  return node || null;
}

/** The byte offset at which a node ends. */
function endOf(node) {
  const last = node.map ? node.map[node.map.length - 1]?.[1] : node.list ? node.list[node.list.length - 1] : null;
  if (node.flow || !last) return node.at ? node.at[1] : NaN;
  return endOf(last);
}

const wrap = (keys, value) => keys.reduceRight((inside, key) => `{${key}: ${inside}}`, value);

function splice(source, from, to, what) {
  if (!(from >= 0 && to >= from)) throw new Error('this value is written elsewhere in the text (as *name or in lines of its own): change it there');
  return source.slice(0, from) + bytes(what) + source.slice(to);
}

const lineEnd = (source, at) => { const n = source.indexOf('\n', at); return n < 0 ? source.length : n; };

function insert(source, map, key, value) {
  if (map.flow) return splice(source, map.at[1] - 1, map.at[1] - 1, `${map.map.length ? ', ' : ''}${key}: ${value}`);
  const column = map.map[0][1].key[1], at = lineEnd(source, endOf(map));
  return splice(source, at, at, `\n${' '.repeat(column - 1)}${key}: ${value}`);
}

/** The text with a value set at a path; `type`: of an item that only the base preset has. */
export function setAt(source, tree, path, value, type) {
  const binary = bytes(source), written = yaml(value);
  let node = tree, i = 0;
  if (path[0] === 'stages' || path[0] === 'export') {
    const entry = entryFind(tree, path[0], path[1]), rest = path.slice(2);
    if (!entry) {
      const item = `${type}: {id: ${path[1]}, ${wrap(rest, written).slice(1)}`, list = get(tree, path[0]);
      if (!list || !list.list || !list.list.length) return text(insert(binary, tree, path[0], `\n  - ${item}`));
      const at = lineEnd(binary, endOf(list)), line = binary.lastIndexOf('\n', list.at[0]) + 1;
      return text(splice(binary, at, at, `\n${' '.repeat(list.at[0] - line)}- ${item}`));
    }
    if (!entry.item.map) return text(splice(binary, ...entry.item.at, `${entry.type}: ${wrap(rest, written)}`));
    node = entry.inside;
    i = 2;
  }
  for (; i < path.length; i++) {
    if (!node.map) {
      const empty = node.at && node.at[0] === node.at[1]; // `key:` alone
      return text(splice(binary, ...(node.at || [NaN, NaN]), (empty ? ' ' : '') + wrap(path.slice(i), written)));
    }
    const next = get(node, path[i]);
    if (!next) return text(insert(binary, node, path[i], wrap(path.slice(i + 1), written)));
    node = next;
  }
  if (!node.at) splice(binary, NaN, NaN, '');
  const empty = node.at[0] === node.at[1];
  const to = node.flow || !(node.map || node.list) ? node.at[1] : endOf(node);
  return text(splice(binary, node.at[0], to, (empty ? ' ' : '') + written));
}

/** The text without the node at a path. */
export function removeAt(source, tree, path) {
  const binary = bytes(source), parent = nodeAt(tree, path.slice(0, -1)), key = path[path.length - 1];
  const i = parent && parent.map ? parent.map.findIndex(([k]) => k === key) : -1;
  if (i < 0) return source;
  const node = parent.map[i][1], next = parent.map[i + 1], before = parent.map[i - 1];
  if (!node.key) splice(binary, NaN, NaN, '');
  if (parent.flow) {
    const from = next || !before ? node.key[0] : endOf(before[1]), to = next ? next[1].key[0] : endOf(node);
    return text(splice(binary, from, to, ''));
  }
  if (parent.map.length === 1) return text(splice(binary, parent.at[0], endOf(parent), '{}'));
  const from = binary.lastIndexOf('\n', node.key[0]) + 1;
  return text(splice(binary, from, Math.min(binary.length, lineEnd(binary, endOf(node)) + 1), ''));
}

const IN_LINE = 'this list is written in one line: change it in the text';

/** The text with a new item TYPE: {BODY} after the one of that id in a list of stages or exporters. An item that
 *  only the base preset has is named by `after` in the new one, which is then the last of the list. */
export function insertEntry(source, tree, section, after, type, body) {
  const binary = bytes(source), entry = entryFind(tree, section, after), list = get(tree, section);
  if (list?.flow) throw new Error(IN_LINE);
  if (!list?.list?.length) return text(insert(binary, tree, section, `\n  - ${bytes(`${type}: ${yaml({ ...body, after })}`)}`));
  const column = list.at[0] - binary.lastIndexOf('\n', list.at[0]) - 1, at = lineEnd(binary, endOf(entry ? entry.item : list));
  return text(splice(binary, at, at, `\n${' '.repeat(column)}- ${bytes(`${type}: ${yaml(entry ? body : { ...body, after })}`)}`));
}

/** The text without an item of a list. null: the text does not have it. */
export function removeEntry(source, tree, section, id) {
  const binary = bytes(source), entry = entryFind(tree, section, id), list = get(tree, section);
  if (!entry) return null;
  if (list.flow) throw new Error(IN_LINE);
  if (list.list.length === 1) throw new Error('the last one of a list stays: change it in the text');
  const start = entry.item.at ? entry.item.at[0] : entry.item.map[0][1].key[0], from = binary.lastIndexOf('\n', start) + 1;
  return text(splice(binary, from, Math.min(binary.length, lineEnd(binary, endOf(entry.item)) + 1), ''));
}
