/**
 * Many vectors of one length, row by row in one array: a search by meaning spends most of its time comparing one vector
 * with all, and looking each up by name would take five times as long.
 */

export interface VectorTable {
  /** Adds or replaces a vector of norm 1; ignores one whose dimension differs from the first. */
  set(id: string, vector: Float32Array): void;
  remove(id: string): void;
  has(id: string): boolean;
  readonly size: number;
  /** Cosines with this vector by id, above `least` only. */
  compare(asked: Float32Array, least: number): Map<string, number>;
}

const FIRST_ROWS = 256;

export function createVectorTable(): VectorTable {
  const rows = new Map<string, number>();
  const ids: (string | undefined)[] = [];
  const free: number[] = [];
  let length = 0;
  let values = new Float32Array(0);

  return {
    get size() {
      return rows.size;
    },

    set(id, vector) {
      if (rows.size === 0) length = vector.length;
      if (vector.length !== length) return;
      const row = rows.get(id) ?? free.pop() ?? ids.length;
      rows.set(id, row);
      ids[row] = id;
      if ((row + 1) * length > values.length) grow();
      values.set(vector, row * length);
    },

    remove(id) {
      const row = rows.get(id);
      if (row === undefined) return;
      rows.delete(id);
      ids[row] = undefined;
      free.push(row);
      if (rows.size === 0) forget();
    },

    has: (id) => rows.has(id),

    compare(asked, least) {
      const alike = new Map<string, number>();
      if (asked.length !== length) return alike;
      for (let row = 0; row < ids.length; row++) {
        const id = ids[row];
        if (id === undefined) continue;
        const likeness = multiply(asked, values, row * length);
        if (likeness > least) alike.set(id, likeness);
      }
      return alike;
    },
  };

  function grow(): void {
    const grown = new Float32Array(Math.max(FIRST_ROWS * length, 2 * values.length));
    grown.set(values);
    values = grown;
  }

  /** The next vectors may have another dimension. */
  function forget(): void {
    ids.length = 0;
    free.length = 0;
    values = new Float32Array(0);
  }
}

function multiply(asked: Float32Array, values: Float32Array, start: number): number {
  let product = 0;
  for (let n = 0; n < asked.length; n++) product += (asked[n] as number) * (values[start + n] as number);
  return product;
}
