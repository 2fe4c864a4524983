import type Database from 'better-sqlite3';

/** A statement that is compiled when it is first used. It has only the methods that the stores and Drizzle use. */
class LazyStatement {
  #compile: () => Database.Statement;
  #compiled: Database.Statement | undefined;

  constructor(compile: () => Database.Statement) {
    this.#compile = compile;
  }

  get #statement(): Database.Statement {
    this.#compiled ??= this.#compile();
    return this.#compiled;
  }

  pluck(): this {
    const compile = this.#compile;
    if (this.#compiled === undefined) this.#compile = () => compile().pluck();
    else this.#compiled.pluck();
    return this;
  }

  raw() {
    return this.#statement.raw();
  }
  run(...values: unknown[]) {
    return this.#statement.run(...values);
  }
  get(...values: unknown[]) {
    return this.#statement.get(...values);
  }
  all(...values: unknown[]) {
    return this.#statement.all(...values);
  }
}

/**
 * Makes a connection compile each statement only when it is first used: a program uses few of them, and compiling all of them
 * takes 20 ms.
 */
export function compileLazily(client: Database.Database): void {
  const prepare = client.prepare.bind(client);
  client.prepare = ((sql: string) =>
    new LazyStatement(() => prepare(sql))) as unknown as typeof client.prepare;
}
