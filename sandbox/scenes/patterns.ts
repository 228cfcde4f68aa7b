/**
 * The functions that a scene's project is made of. Each pattern writes one function twice: as it should be, and with the slip that a
 * reviewer may find. Names come from the scene; the shape of the code is all that reviewers and agents ever see.
 */

export interface Names {
  /** `parcel` */
  readonly one: string;
  /** `parcels` */
  readonly many: string;
  /** `weight`: a number that each of them has. */
  readonly field: string;
}

export interface Written {
  readonly name: string;
  readonly right: string;
  /** Absent for a pattern that is always right. */
  readonly wrong?: string;
  /** Named imports from `node:fs/promises`. */
  readonly imports?: readonly string[];
  /** A statement for the gate that holds for the right version; `it` is the module, `assert` is node's. */
  readonly check?: string;
}

export type Pattern = (names: Names) => Written;

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const lines = (...text: readonly string[]): string => text.join("\n");

/** Patterns with a slip that an edit repairs. */
export const SLIPS = {
  "loop-bound": ({ many, field }) => {
    const name = `total${capital(field)}Of${capital(many)}`;
    const written = (sign: string): string =>
      lines(
        `/** Adds up the ${field} of all ${many}. */`,
        `export function ${name}(${many}) {`,
        "  let total = 0;",
        `  for (let index = 0; index ${sign} ${many}.length; index += 1) {`,
        `    total += ${many}[index].${field};`,
        "  }",
        "  return total;",
        "}",
      );
    return {
      name,
      right: written("<"),
      wrong: written("<="),
      check: `assert.equal(it.${name}([{ ${field}: 2 }, { ${field}: 5 }]), 7);`,
    };
  },
  "page-end": ({ many }) => {
    const name = `${many}OnPage`;
    const written = (end: string): string =>
      lines(
        `/** The ${many} of one page; pages count from 1. */`,
        `export function ${name}(${many}, page, size) {`,
        "  const start = (page - 1) * size;",
        `  return ${many}.slice(start, ${end});`,
        "}",
      );
    return {
      name,
      right: written("start + size"),
      wrong: written("start + size - 1"),
      check: `assert.deepEqual(it.${name}([1, 2, 3, 4, 5], 2, 2), [3, 4]);`,
    };
  },
  "missing-await": ({ one }) => {
    const name = `save${capital(one)}`;
    const written = (wait: string): string =>
      lines(
        `/** Stores one ${one} and tells its key. */`,
        `export async function ${name}(store, ${one}) {`,
        `  const key = "${one}:" + ${one}.id;`,
        `  ${wait}store.put(key, ${one});`,
        "  return key;",
        "}",
      );
    const check = `{
  const stored = [];
  const put = (key) => new Promise((done) => setTimeout(() => done(stored.push(key)), 1));
  await it.${name}({ put }, { id: 7 });
  assert.deepEqual(stored, ["${one}:7"]);
}`;
    return { name, right: written("await "), wrong: written(""), check };
  },
  "capacity-compare": ({ one, many }) => {
    const name = `hasRoomFor${capital(one)}`;
    const written = (sign: string): string =>
      lines(
        `/** True while one more of the ${many} may come in. */`,
        `export function ${name}(${many}, capacity) {`,
        `  return ${many}.length ${sign} capacity;`,
        "}",
      );
    return { name, right: written("<"), wrong: written("<="), check: `assert.equal(it.${name}([1, 2], 2), false);` };
  },
  "zero-default": ({ one }) => {
    const name = `${one}Retries`;
    const written = (sign: string): string =>
      lines(
        `/** How often a ${one} is tried again; 0 means never. */`,
        `export function ${name}(options) {`,
        `  const retries = options.retries ${sign} 3;`,
        "  return Math.min(retries, 9);",
        "}",
      );
    return { name, right: written("??"), wrong: written("||"), check: `assert.equal(it.${name}({ retries: 0 }), 0);` };
  },
  "open-handle": ({ one }) => {
    const name = `read${capital(one)}File`;
    return {
      name,
      imports: ["open"],
      right: lines(
        `/** Reads one ${one} from a file. */`,
        `export async function ${name}(path) {`,
        "  const handle = await open(path);",
        "  try {",
        '    const text = await handle.readFile("utf8");',
        "    return JSON.parse(text);",
        "  } finally {",
        "    await handle.close();",
        "  }",
        "}",
      ),
      wrong: lines(
        `/** Reads one ${one} from a file. */`,
        `export async function ${name}(path) {`,
        "  const handle = await open(path);",
        '  const text = await handle.readFile("utf8");',
        "  return JSON.parse(text);",
        "}",
      ),
    };
  },
  "short-timeout": ({ one }) => {
    const name = `${one}Deadline`;
    const written = (timeout: string): string =>
      lines(
        `/** The moment until which a ${one} may take; all times are milliseconds. */`,
        `export function ${name}(now, timeout = ${timeout}) {`,
        "  return now + timeout;",
        "}",
      );
    return { name, right: written("30_000"), wrong: written("30"), check: `assert.equal(it.${name}(100, 50), 150);` };
  },
  "sort-in-place": ({ many, field }) => {
    const name = `${many}By${capital(field)}`;
    const written = (list: string): string =>
      lines(
        `/** The ${many}, smallest ${field} first; the list that was given stays as it is. */`,
        `export function ${name}(${many}) {`,
        `  return ${list}.sort((left, right) => left.${field} - right.${field});`,
        "}",
      );
    return {
      name,
      right: written(`[...${many}]`),
      wrong: written(many),
      check: `assert.deepEqual(it.${name}([{ ${field}: 3 }, { ${field}: 1 }]), [{ ${field}: 1 }, { ${field}: 3 }]);`,
    };
  },
  "raw-path": ({ one, many }) => {
    const name = `${one}Address`;
    const written = (id: string): string =>
      lines(
        `/** Where a ${one} can be fetched. */`,
        `export function ${name}(base, id) {`,
        `  return \`\${base}/${many}/\${${id}}\`;`,
        "}",
      );
    return {
      name,
      right: written("encodeURIComponent(id)"),
      wrong: written("id"),
      check: `assert.equal(it.${name}("https://depot.example", 7), "https://depot.example/${many}/7");`,
    };
  },
  "inverted-filter": ({ one, many }) => {
    const name = `active${capital(many)}`;
    const written = (not: string): string =>
      lines(
        `/** The ${many} that are still in use. */`,
        `export function ${name}(${many}) {`,
        `  return ${many}.filter((${one}) => ${not}${one}.archived);`,
        "}",
      );
    return {
      name,
      right: written("!"),
      wrong: written(""),
      check: `assert.equal(it.${name}([{ archived: true }, { archived: false }, {}]).length, 2);`,
    };
  },
  "shared-defaults": ({ one }) => {
    const name = `${one}Settings`;
    const constant = `${one.toUpperCase()}_SETTINGS`;
    const written = (merged: string): string =>
      lines(
        `const ${constant} = { batch: 20, order: "newest" };`,
        "",
        `/** Settings for ${one} lists: the usual ones, with the caller's laid over them. */`,
        `export function ${name}(options) {`,
        `  return ${merged};`,
        "}",
      );
    return {
      name,
      right: written(`{ ...${constant}, ...options }`),
      wrong: written(`Object.assign(${constant}, options)`),
      check: `assert.equal(it.${name}({ batch: 5 }).order, "newest");`,
    };
  },
  "missing-guard": ({ one }) => {
    const name = `${one}City`;
    const written = (place: string): string =>
      lines(
        `/** The city that a ${one} belongs to; empty where there is no address. */`,
        `export function ${name}(${one}) {`,
        `  return ${place};`,
        "}",
      );
    return {
      name,
      right: written(`${one}.address?.city ?? ""`),
      wrong: written(`${one}.address.city`),
      check: `assert.equal(it.${name}({ address: { city: "Bergen" } }), "Bergen");`,
    };
  },
  "empty-average": ({ many, field, one }) => {
    const name = `average${capital(field)}Of${capital(many)}`;
    const written = (...guard: readonly string[]): string =>
      lines(
        `/** The average ${field}; 0 for an empty list. */`,
        `export function ${name}(${many}) {`,
        ...guard,
        `  const sum = ${many}.reduce((total, ${one}) => total + ${one}.${field}, 0);`,
        `  return sum / ${many}.length;`,
        "}",
      );
    return {
      name,
      right: written(`  if (${many}.length === 0) {`, "    return 0;", "  }"),
      wrong: written(),
      check: `assert.equal(it.${name}([{ ${field}: 2 }, { ${field}: 4 }]), 3);`,
    };
  },
  "swallowed-error": ({ one }) => {
    const name = `parse${capital(one)}`;
    const written = (...caught: readonly string[]): string =>
      lines(
        `/** A ${one} from its JSON text. Throws where the text is none. */`,
        `export function ${name}(text) {`,
        "  try {",
        "    return JSON.parse(text);",
        ...caught,
        "  }",
        "}",
      );
    return {
      name,
      right: written("  } catch (error) {", `    throw new Error("This is no ${one}.", { cause: error });`),
      wrong: written("  } catch {", "    return undefined;"),
      check: `assert.deepEqual(it.${name}('{"id":1}'), { id: 1 });`,
    };
  },
} as const satisfies Record<string, Pattern>;

/** The hidden case: the function can't wait, so that the obvious repair of one line is no JavaScript. */
export const plainRemoval: Pattern = ({ one }) => {
  const name = `remove${capital(one)}`;
  const written = (head: string, wait: string): string =>
    lines(
      `/** Takes one ${one} out of the store and tells how many are left. */`,
      `export ${head}function ${name}(store, key) {`,
      `  ${wait}store.remove(key);`,
      "  return store.size();",
      "}",
    );
  const check = `{
  const left = new Set([1, 2]);
  const remove = (key) => new Promise((done) => setTimeout(() => done(left.delete(key)), 1));
  assert.equal(await it.${name}({ remove, size: () => left.size }, 1), 1);
}`;
  return { name, right: written("async ", "await "), wrong: written("", ""), check };
};

/** A deadline for which the gate knows a limit that the reviewer does not know. */
export const cappedDeadline: Pattern = ({ one, many, field }) => {
  const { name, wrong } = SLIPS["short-timeout"]({ one, many, field });
  const message = `src/${many}.mjs: ${name} must not wait longer than the queue does: expected a timeout of at most 10000, got \${it.${name}(0)}`;
  return {
    name,
    right: (wrong ?? "").replace("timeout = 30)", "timeout = 10_000)"),
    wrong,
    check: `assert.ok(it.${name}(0) <= 10_000, \`${message}\`);`,
  };
};

/** Patterns that are right, and that someone may still remark on. */
export const BAITS = {
  "guarded-access": ({ one }) => ({
    name: `${one}Owner`,
    right: lines(
      `/** Who owns a ${one}; empty where nobody does. */`,
      `export function ${one}Owner(${one}) {`,
      `  if (${one}.owner === undefined) {`,
      '    return "";',
      "  }",
      `  return ${one}.owner.name;`,
      "}",
    ),
    check: `assert.equal(it.${one}Owner({}), "");`,
  }),
  "guarded-share": ({ one, many, field }) => ({
    name: `${field}Per${capital(one)}`,
    right: lines(
      `/** The ${field} that falls to each one of the ${many}. */`,
      `export function ${field}Per${capital(one)}(${field}, ${many}) {`,
      `  if (${many}.length === 0) {`,
      "    return 0;",
      "  }",
      `  return ${field} / ${many}.length;`,
      "}",
    ),
    check: `assert.equal(it.${field}Per${capital(one)}(9, []), 0);`,
  }),
  "short-name": ({ one, many, field }) => ({
    name: `${one}Spread`,
    right: lines(
      `/** How far the ${field} of the ${many} reaches. */`,
      `export function ${one}Spread(${many}) {`,
      `  const d2 = ${many}.map((${one}) => ${one}.${field});`,
      "  return Math.max(...d2) - Math.min(...d2);",
      "}",
    ),
    check: `assert.equal(it.${one}Spread([{ ${field}: 2 }, { ${field}: 9 }]), 7);`,
  }),
  "fixed-number": ({ one, many }) => ({
    name: `${one}Attempts`,
    right: lines(
      `/** Five attempts cover a restart of the ${one} service, which takes about two seconds. */`,
      `export function ${one}Attempts(${many}) {`,
      `  return ${many}.length > 0 ? 5 : 0;`,
      "}",
    ),
    check: `assert.equal(it.${one}Attempts([1]), 5);`,
  }),
} as const satisfies Record<string, Pattern>;

/** Patterns that nobody remarks on. */
export const PLAIN: readonly Pattern[] = [
  ({ one }) => ({
    name: `${one}Label`,
    right: lines(
      `/** What a ${one} is called in lists. */`,
      `export function ${one}Label(${one}) {`,
      `  return "${one} " + ${one}.id;`,
      "}",
    ),
    check: `assert.equal(it.${one}Label({ id: 7 }), "${one} 7");`,
  }),
  ({ one, many, field }) => ({
    name: `${many}With${capital(field)}`,
    right: lines(
      `/** The ${many} whose ${field} is known. */`,
      `export function ${many}With${capital(field)}(${many}) {`,
      `  return ${many}.filter((${one}) => ${one}.${field} !== undefined);`,
      "}",
    ),
    check: `assert.equal(it.${many}With${capital(field)}([{ ${field}: 0 }, {}]).length, 1);`,
  }),
];

export type SlipName = keyof typeof SLIPS;
export type BaitName = keyof typeof BAITS;
export const SLIP_NAMES = Object.keys(SLIPS) as readonly SlipName[];
export const BAIT_NAMES = Object.keys(BAITS) as readonly BaitName[];
