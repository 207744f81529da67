// Makes cases.jsonl: expressions of the subset with what a JavaScript engine makes of them, in one fixed context.
// Run it with `node tests/js-agreement/generate.mjs`; the same cases come out each time. The Rust tests only read the result.
import { writeFileSync } from 'node:fs';

const context = {
  payload: {
    name: "O'Brien", status: 'approved', text: '  Padded Text  ', empty: '', numStr: '10', hex: '0x1f', junk: '12px', emoji: 'a\u{1F600}b',
    amount: 500, zero: 0, neg: -5, frac: 0.1, big: 1e21, small: 1e-7, yes: true, no: false, nul: null,
    nums: [3, 1, 2, 10, -4], mixed: [1, 'a', null, true, { k: 1 }, [2, [3]]], tags: ['red', 'green', 'blue'], none: [], nested: { a: { b: { c: 42 } } },
    items: [{ price: 50, tag: 'x', ok: true, n: [1] }, { price: 150, tag: 'y', ok: false, n: [2, 3] }, { price: 5.5, tag: 'red', ok: true, n: [] }],
    obj: { one: 1, two: 'zwei', three: null }, blank: {}, csv: 'a,b,,c', json: '{"a":[1,2.50,"x"],"b":null}', accents: 'Ärger straße ΣΊΣΥΦΟΣ',
  },
  data: { retryCount: 2, list: ['1', '2', '3'], ratio: 2.5 },
  index: 3,
};

// What a method gives is made well-formed at once, there as here.
for (const name of ['slice', 'substring', 'charAt', 'at', 'padStart', 'padEnd', 'replace', 'replaceAll', 'concat', 'repeat', 'trim']) {
  const original = String.prototype[name];
  String.prototype[name] = function (...args) {
    const result = original.apply(this, args);
    return typeof result === 'string' ? result.toWellFormed() : result;
  };
}
const split = String.prototype.split;
String.prototype.split = function (...args) {
  return split.apply(this, args).map((part) => part.toWellFormed());
};

let state = 0x2545f491;
const random = () => {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};
const pick = (list) => list[Math.floor(random() * list.length)];
const chance = (p) => random() < p;

const paths = {
  string: ['payload.name', 'payload.status', 'payload.text', 'payload.empty', 'payload.numStr', 'payload.hex', 'payload.junk', 'payload.csv', 'payload.accents', 'payload.tags[0]', 'payload.items[1].tag', 'payload["status"]', 'data.list[1]'],
  number: ['payload.amount', 'payload.zero', 'payload.neg', 'payload.frac', 'payload.big', 'payload.small', 'data.retryCount', 'data.ratio', 'index', 'payload.nums[1]', 'payload.items[0].price', 'payload.nested.a.b.c'],
  list: ['payload.nums', 'payload.mixed', 'payload.tags', 'payload.none', 'payload.items', 'data.list', 'payload.items[1].n', 'payload.mixed[5]'],
  other: ['payload.yes', 'payload.no', 'payload.nul', 'payload.missing', 'payload.obj', 'payload.blank', 'payload.nested', 'payload.obj.three', 'payload.items[9]', 'payload.emoji'],
};
const literals = {
  string: ["'a'", '"red"', "''", "' '", "'10'", "'0x1f'", "'1e3'", "','", "'approved'", "'e'", "'Infinity'", "'-5'", "'\\n'", "'\\u00e9'", "'.5'", "'null'"],
  number: ['0', '1', '2', '3', '10', '-1', '0.5', '1.5', '2.5', '1e3', '.25', '5.', '0x1F', '0b101', '0o17', '1_000', '1e21', '123456789012345680000', '0.1', 'NaN', 'Infinity', '-0', '1e-7', '4294967296', '2147483648'],
  list: ['[]', '[1, 2]', "['a', 'red', 1]", '[null]', '[undefined]', '[[1], [2, [3]]]', '[NaN]', '[0]', "['10']"],
  other: ['true', 'false', 'null', 'undefined', '{}', '{ a: 1 }'],
};
const small = () => pick(['0', '1', '2', '3', '4', '-1', '-2', '5', '1.5', 'NaN', "'1'", 'undefined', 'null', '100', '-100', 'Infinity', '-Infinity', 'true']);

let locals = [];
const leaf = (kind) => {
  if (locals.length && chance(0.5)) return pick(locals);
  return chance(0.6) ? pick(paths[kind]) : pick(literals[kind]);
};
const kinds = ['string', 'number', 'list', 'other'];
const wrap = (text) => `(${text})`;
const arrow = (depth, arity = 1) => {
  const names = ['x', 'i', 'all'].slice(0, arity);
  const outer = locals;
  locals = [...outer, ...names, ...(chance(0.6) ? ['x.price', 'x.ok', 'x.tag', 'x.length'] : [])];
  const body = any(depth - 1);
  locals = outer;
  const text = body.startsWith('{') ? wrap(body) : body;
  return arity === 1 && chance(0.7) ? `x => ${text}` : `(${names.join(', ')}) => ${text}`;
};
const receiver = (kind, depth) => {
  const text = typed(kind, depth);
  return /^[a-z][\w.[\]"]*$/i.test(text) || /^['"[]/.test(text) && !/ [-+*/%<>=&|?:]/.test(text) ? text : wrap(text);
};

const strings = [
  (d) => `${receiver('string', d)}.toUpperCase()`, (d) => `${receiver('string', d)}.toLowerCase()`, (d) => `${receiver('string', d)}.trim()`,
  (d) => `${receiver('string', d)}.trimStart()`, (d) => `${receiver('string', d)}.trimEnd()`,
  (d) => `${receiver('string', d)}.slice(${small()}${chance(0.5) ? `, ${small()}` : ''})`,
  (d) => `${receiver('string', d)}.substring(${small()}${chance(0.5) ? `, ${small()}` : ''})`,
  (d) => `${receiver('string', d)}.charAt(${small()})`, (d) => `${receiver('string', d)}.at(${small()})`,
  (d) => `${receiver('string', d)}.padStart(${pick(['0', '3', '8', '12', "'9'"])}${chance(0.5) ? `, ${leaf('string')}` : ''})`,
  (d) => `${receiver('string', d)}.padEnd(${pick(['0', '3', '8', '12'])}${chance(0.5) ? `, ${leaf('string')}` : ''})`,
  (d) => `${receiver('string', d)}.repeat(${pick(['0', '1', '2', '3', '-1', "'2'", '1.9', 'NaN'])})`,
  (d) => `${receiver('string', d)}.replace(${leaf('string')}, ${pick(["'$&$&'", "'-'", "'$$'", "'$`|'", '"$\'"', '7', 'null', "'$1'"])})`,
  (d) => `${receiver('string', d)}.replaceAll(${pick(["'e'", "'a'", "''", "','", "' '", "'p'"])}, ${pick(["'$&$&'", "'-'", "'$$'", "'$`|'", '7'])})`,
  (d) => `${receiver('string', d)}.replace(${pick(["'a'", "'p'", "'e'"])}, (m, at) => m + at)`,
  (d) => `${receiver('string', d)}.concat(${leaf(pick(kinds))}, ${leaf(pick(kinds))})`,
  (d) => `${receiver('list', d)}.join(${chance(0.7) ? leaf(pick(['string', 'other'])) : ''})`,
  (d) => `String(${any(d)})`, (d) => `typeof ${receiver(pick(kinds), d)}`, (d) => `JSON.stringify(${any(d)}${chance(0.2) ? `, null, ${pick(['2', '1', "'--'", '20'])}` : ''})`,
  (d) => `${receiver('number', d)}.toFixed(${pick(['', '0', '1', '2', '5', '10', '20', '-1', "'2'"])})`,
  (d) => `${receiver('number', d)}.toString(${pick(['', '10', '2', '16', '36', '8', '3', '1'])})`,
  (d) => `${receiver('list', d)}.toString()`, (d) => `${any(d)} + ${receiver('string', d)}`,
];
const numbers = [
  (d) => `${any(d)} * ${any(d)}`, (d) => `${any(d)} - ${any(d)}`, (d) => `${any(d)} / ${any(d)}`, (d) => `${any(d)} % ${any(d)}`, (d) => `${any(d)} + ${any(d)}`,
  (d) => `-${receiver(pick(kinds), d)}`, (d) => `+${receiver(pick(kinds), d)}`, (d) => `${receiver('string', d)}.length`, (d) => `${receiver('list', d)}.length`,
  (d) => `${receiver('string', d)}.indexOf(${leaf(pick(kinds))}${chance(0.4) ? `, ${small()}` : ''})`,
  (d) => `${receiver('string', d)}.lastIndexOf(${leaf('string')}${chance(0.4) ? `, ${small()}` : ''})`,
  (d) => `${receiver('list', d)}.indexOf(${leaf(pick(kinds))}${chance(0.4) ? `, ${small()}` : ''})`,
  (d) => `${receiver('list', d)}.lastIndexOf(${leaf(pick(kinds))}${chance(0.4) ? `, ${small()}` : ''})`,
  (d) => `${receiver('list', d)}.findIndex(${arrow(d)})`, (d) => `${receiver('list', d)}.reduce((a, x) => ${pick(['a + x', 'a * x', 'a > x ? a : x', 'a.concat(x)', 'a - x'])}${chance(0.7) ? `, ${pick(['0', "''", '[]', '1'])}` : ''})`,
  (d) => `Number(${any(d)})`, (d) => `parseInt(${any(d)}${chance(0.4) ? `, ${pick(['10', '16', '2', '36', '0', '1', '37', "'8'", 'NaN'])}` : ''})`, (d) => `parseFloat(${any(d)})`,
  (d) => `Math.${pick(['abs', 'ceil', 'floor', 'round', 'trunc', 'sign', 'sqrt', 'fround', 'clz32'])}(${any(d)})`,
  (d) => `Math.${pick(['min', 'max', 'imul', 'pow'])}(${chance(0.2) ? leaf('number') : `${leaf(pick(kinds))}, ${pick(['2', '0', '-0', '3', 'payload.neg', "'4'"])}`})`,
];
const lists = [
  (d) => `${receiver('list', d)}.slice(${small()}${chance(0.5) ? `, ${small()}` : ''})`, (d) => `${receiver('list', d)}.concat(${leaf(pick(kinds))}${chance(0.3) ? `, ${leaf('list')}` : ''})`,
  (d) => `${receiver('list', d)}.filter(${arrow(d, pick([1, 1, 2, 3]))})`, (d) => `${receiver('list', d)}.map(${arrow(d, pick([1, 1, 2, 3]))})`,
  (d) => `${receiver('list', d)}.flatMap(${arrow(d, pick([1, 2]))})`, (d) => `${receiver('list', d)}.flat(${pick(['', '0', '1', '2', 'Infinity', '-1', "'1'"])})`,
  (d) => `${receiver('string', d)}.split(${pick(["''", "','", "' '", "'p'", '', "'zz'", 'null', 'undefined'])}${chance(0.3) ? `, ${pick(['0', '1', '2', '-1', "'2'"])}` : ''})`,
  (d) => `Object.${pick(['keys', 'values', 'entries'])}(${any(d)})`, (d) => `[${any(d)}, ${any(d)}]`, (d) => `JSON.parse(${pick(['payload.json', "'[1, 2]'", "'{'", "'true'", "'\"x\"'", 'payload.numStr'])})`,
];
const others = [
  (d) => `${any(d)} == ${any(d)}`, (d) => `${any(d)} != ${any(d)}`, (d) => `${any(d)} === ${any(d)}`, (d) => `${any(d)} !== ${any(d)}`,
  (d) => `${any(d)} < ${any(d)}`, (d) => `${any(d)} <= ${any(d)}`, (d) => `${any(d)} > ${any(d)}`, (d) => `${any(d)} >= ${any(d)}`,
  (d) => `${any(d)} && ${any(d)}`, (d) => `${any(d)} || ${any(d)}`, (d) => `${wrap(any(d))} ?? ${wrap(any(d))}`, (d) => `!${receiver(pick(kinds), d)}`,
  (d) => `${any(d)} ? ${any(d)} : ${any(d)}`, (d) => `${receiver('string', d)}.includes(${leaf(pick(kinds))}${chance(0.3) ? `, ${small()}` : ''})`,
  (d) => `${receiver('string', d)}.startsWith(${leaf('string')}${chance(0.3) ? `, ${small()}` : ''})`, (d) => `${receiver('string', d)}.endsWith(${leaf('string')}${chance(0.3) ? `, ${small()}` : ''})`,
  (d) => `${receiver('list', d)}.includes(${leaf(pick(kinds))}${chance(0.3) ? `, ${small()}` : ''})`, (d) => `${receiver('list', d)}.some(${arrow(d)})`, (d) => `${receiver('list', d)}.every(${arrow(d)})`,
  (d) => `${receiver('list', d)}.find(${arrow(d)})`, (d) => `${receiver('list', d)}.at(${small()})`, (d) => `${receiver('list', d)}[${pick(['0', '1', '9', '-1', "'1'", "'length'", '1.5'])}]`,
  (d) => `Array.isArray(${any(d)})`, (d) => `Boolean(${any(d)})`, (d) => `isNaN(${any(d)})`, (d) => `isFinite(${any(d)})`,
  (d) => `${pick(['payload.nul', 'payload.missing', 'payload.obj', 'payload.nested'])}${pick(['?.a', '?.one', '?.["two"]', '?.a?.b', '.a', '?.[0]', '?.a.b.c', '?.toString()'])}`,
  (d) => `{ a: ${any(d)}, 'b c': ${any(d)} }`,
];
const makers = { string: strings, number: numbers, list: lists, other: others };
function typed(kind, depth) {
  if (depth <= 0 || chance(0.25)) return leaf(kind);
  return pick(makers[kind])(depth - 1);
}
function any(depth) {
  const text = typed(pick(kinds), depth);
  // Operators inside need brackets now and then, so that both readings are tried; an object or an arrow always does.
  const loose = / [-+*/%<>=&|?:!]/.test(text) || text.startsWith('{') || /^[-+]/.test(text);
  return loose && (chance(0.7) || /\?\?|^\{| \? |=>/.test(text) || /^[-+]/.test(text)) ? wrap(text) : text;
}

const encode = (value) => {
  if (value === undefined) return { $undefined: true };
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0))) return { $number: Object.is(value, -0) ? '-0' : String(value) };
  if (Array.isArray(value)) return value.map(encode);
  if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, encode(item)]));
  return value;
};

const seen = new Set();
const lines = [JSON.stringify({ context })];
while (lines.length <= 5000) {
  locals = [];
  const text = any(1 + Math.floor(random() * 3));
  if (seen.has(text) || text.length > 300) continue;
  seen.add(text);
  let run;
  try {
    run = new Function(...Object.keys(context), `"use strict"; return (${text}\n);`);
  } catch {
    continue; // Grammar is tested elsewhere.
  }
  try {
    const value = run(...Object.values(structuredClone(context)));
    const result = JSON.stringify(encode(value));
    if (result.length > 2000 || /\\ud[89a-f]/i.test(result)) continue;
    lines.push(`{"e":${JSON.stringify(text)},"r":${result}}`);
  } catch {
    lines.push(`{"e":${JSON.stringify(text)},"throws":true}`);
  }
}
writeFileSync(new URL('cases.jsonl', import.meta.url), lines.join('\n') + '\n');
