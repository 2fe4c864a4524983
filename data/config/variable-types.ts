import { z } from 'zod';

/** One wrong variable. The message follows the variable's name, and says what is wrong and what to do. */
export interface ConfigProblem {
  readonly variable: string;
  readonly message: string;
}

/** The variables that are set. */
export type GivenVariables = Readonly<Record<string, string | undefined>>;

/** Whether a text is an http(s) URL that a request can be sent to: no user and no password. */
export function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

export const httpUrl = (example: string) =>
  z.string().refine(isHttpUrl, { error: `is not an http(s) URL without a user. Write it as ${example}.` });

/** A whole number in digits only: ` `, `0x10` and `1e3` are refused. */
export const wholeNumber = (smallest: number, largest: number, message: string) =>
  z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((number) => number >= smallest && number <= largest, message);

export const onOrOff = z.enum(['on', 'off'], { error: 'is neither on nor off.' });
