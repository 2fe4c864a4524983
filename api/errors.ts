import { ERRORS, type ErrorCode } from '../data/contract/errors.ts';

type Entry<Code extends ErrorCode> = (typeof ERRORS)[Code];
type HeaderOf<E> = E extends readonly [number, string, string, infer Headers]
  ? Headers[keyof Headers]
  : never;
type PlaceholderName<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholderName<Rest>
  : never;

/** The names of the placeholders (`{name}`) in an error's message, remedy and headers. */
type Parameter<Code extends ErrorCode> = PlaceholderName<
  Entry<Code>[1] | Entry<Code>[2] | HeaderOf<Entry<Code>>
>;

interface Context {
  /** Replaces the table's message and remedy. */
  readonly text?: string;
  readonly cause?: unknown;
}
type Arguments<Code extends ErrorCode> = [Parameter<Code>] extends [never]
  ? [context?: Context]
  : [context: Context & Readonly<Record<Parameter<Code>, string | number>>];

const fill = (template: string, details: Readonly<Record<string, unknown>>) =>
  template.replaceAll(/\{(\w+)\}/g, (_braced, name: string) => String(details[name]));

/** An error that a client may see. Its code, status and headers come from the table of errors. */
export class ApiError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'ApiError';
  readonly code: Code;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: Code, ...[context]: Arguments<Code>) {
    const details: Context & Readonly<Record<string, unknown>> = { ...context };
    const [status, message, remedy, headers = {}]: readonly [
      number,
      string,
      string,
      Record<string, string>?,
    ] = ERRORS[code];
    super(
      details.text ?? fill(`${message} ${remedy}`, details),
      'cause' in details ? { cause: details.cause } : {},
    );
    this.code = code;
    this.status = status;
    this.headers = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, fill(value, details)]),
    );
  }
}

export function isApiError<Code extends ErrorCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is ApiError<Code> {
  return error instanceof ApiError && codes.some((code) => code === error.code);
}
