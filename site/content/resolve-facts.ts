/** Facts by name, as finished text. */
export type Facts = Readonly<Record<string, string>>;

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

/**
 * Puts facts in the place of `{{name}}`.
 * @throws {UnknownFact} where there is no fact of a name.
 */
export function resolveFacts(text: string, facts: Facts): string {
  return text.replace(PLACEHOLDER, (_, name: string) => factOf(name, facts));
}

/** The fact of a name. @throws {UnknownFact} where there is none. */
export function factOf(name: string, facts: Facts): string {
  const fact = Object.hasOwn(facts, name) ? facts[name] : undefined;
  if (fact === undefined) throw new UnknownFact(name);
  return fact;
}

/** Words that name a fact which does not exist. */
export class UnknownFact extends Error {
  constructor(name: string) {
    super(`There is no fact "${name}". The facts are in data/model/facts/.`);
    this.name = 'UnknownFact';
  }
}
