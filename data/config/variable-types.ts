import { z } from 'zod';

/** `message` continues a sentence that begins with the variable's name, and says what is wrong and how to fix it. */
export interface ConfigProblem {
  readonly variable: string;
  readonly message: string;
}

export type GivenVariables = Readonly<Record<string, string | undefined>>;

export function problemsIfSet(variables: GivenVariables, names: readonly string[], message: string) {
  return names
    .filter((name) => variables[name] !== undefined)
    .map((variable): ConfigProblem => ({ variable, message }));
}

export function problemsIfMissing(variables: GivenVariables, names: readonly string[], message: string) {
  return names
    .filter((name) => variables[name] === undefined)
    .map((variable): ConfigProblem => ({ variable, message }));
}

/** Whether a text is an http(s) URL that `fetch` accepts: one without a username or password. */
export function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

/** @param remedy the end of the error message for an empty list */
export const urlList = (remedy: string) =>
  z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .refine((urls) => urls.length > 0, `contains no endpoint. Separate endpoints by commas, or ${remedy}.`)
    .refine(
      (urls) => urls.every(isHttpUrl),
      'contains an entry that is not an http(s) URL, or that contains a username. Separate endpoints by commas: https://a,https://b',
    );

export const httpUrl = (example: string) =>
  z
    .string()
    .refine(isHttpUrl, { error: `is not an http(s) URL, or contains a username. Write it as ${example}.` });

/** An origin in its canonical form: scheme, host and port without a path. */
export const origin = (example: string) =>
  z.string().refine((text) => isHttpUrl(text) && URL.parse(text)?.origin === text, {
    error: `is not an http(s) origin. Write scheme and host only, such as ${example}`,
  });

/** A whole number. Accepts only digits, because `Number` would also accept ` `, `0x10` and `1e3`. */
export const wholeNumber = (smallest: number, largest: number, message: string) =>
  z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((number) => number >= smallest && number <= largest, message);

export function portUpTo(largest: number) {
  const message = `is not a port. Set it to a whole number from 0 to ${largest} (0 uses any free port).`;
  return wholeNumber(0, largest, message);
}
export const port = portUpTo(65_535);

export const onOrOff = z.enum(['on', 'off'], { error: 'is neither on nor off.' });
