import {
  areTypableLines,
  characterCount,
  cleanLine,
  cleanLines,
  isMailAddress,
  isTypableLine,
  MAX_MAIL_ADDRESS_LENGTH,
  SOLANA_ADDRESS_PATTERN,
  telegramName,
} from '../form-text.ts';
import { REFERENCE_NUMBER_PATTERN } from '../reference-number.ts';

/*
 * Each form is described once, as a list of fields. The form on the page, its validation in the browser and on the server, the
 * stored submission, the team's email, the admin screen, the export and the API document are built from that description.
 */

export type FormFieldKind =
  | 'line'
  | 'lines'
  | 'email'
  | 'phone'
  | 'telegram'
  | 'wallet'
  /** BD as free text. */
  | 'amount'
  | 'reference'
  /** One of `options`. */
  | 'choice'
  /** ISO 3166-1 alpha-2. Only the server checks that the country exists, because the list is large. */
  | 'country'
  /** An uploaded file, checked by its content. */
  | 'file';

export interface FormField {
  readonly kind: FormFieldKind;
  readonly label: string;
  /** The label in the team's email, on the admin screen and in the API document; `label` by default. */
  readonly teamLabel?: string;
  /** The name of the field in error messages; by default `the` and the label in lower case. */
  readonly noun?: string;
  readonly optional?: true;
  /** In characters. An emoji counts as one. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** The error message for an empty field; `invalid` by default. */
  readonly missing?: string;
  /** The error message for a value that is malformed or too short. */
  readonly invalid?: string;
  readonly tooLong?: string;
  /** The label of each value, in the order of the form. */
  readonly options?: Readonly<Record<string, string>>;
  /** Stored in its own column, because a list sorts, filters or searches by it. Other fields share the column `details`. */
  readonly hasOwnColumn?: true;

  /* Presentation. */
  readonly hint?: string;
  readonly autoComplete?: AutoFill;
  readonly rows?: number;
  readonly readOnly?: true;
  /** Shares its row with the next field on wide screens. */
  readonly halfWidth?: true;
  /** Starts a group with this legend. */
  readonly legend?: string;
}

export type FormFields = Readonly<Record<string, FormField>>;

export interface FormSpec {
  /** The name that the draft is saved under, and the prefix of the fields' ids. */
  readonly name: string;
  readonly fields: FormFields;
}

export type TextFieldName<F extends FormFields> = {
  [Name in keyof F]: F[Name]['kind'] extends 'file' ? never : Name;
}[keyof F] &
  string;
export type FileFieldName<F extends FormFields> = Exclude<keyof F & string, TextFieldName<F>>;

export type FormValueOf<Field extends FormField> = Field extends { readonly options: infer Options }
  ? keyof Options & string
  : string;

/** An empty optional field is null. */
export type StoredFields<F extends FormFields> = {
  readonly [Name in TextFieldName<F>]:
    | FormValueOf<F[Name]>
    | (F[Name] extends { optional: true } ? null : never);
};

type OptionalName<F extends FormFields> = {
  [Name in TextFieldName<F>]: F[Name] extends { optional: true } ? Name : never;
}[TextFieldName<F>];

export type NewFields<F extends FormFields> = Omit<StoredFields<F>, OptionalName<F>> &
  Partial<Pick<StoredFields<F>, OptionalName<F>>>;

interface FieldKindRules {
  readonly maxLength?: number;
  readonly invalid?: string;
  readonly isValid?: (text: string) => boolean;
  readonly clean?: (text: string) => string;
}

const FIELD_KIND_RULES: Readonly<Record<FormFieldKind, FieldKindRules>> = {
  line: {},
  lines: { clean: cleanLines },
  email: {
    maxLength: MAX_MAIL_ADDRESS_LENGTH,
    invalid: 'Please enter a valid email address',
    isValid: isMailAddress,
  },
  phone: { maxLength: 40 },
  telegram: { maxLength: 64, clean: telegramName },
  wallet: {
    maxLength: 64,
    invalid: 'Valid wallet address required',
    isValid: (text) => SOLANA_ADDRESS_PATTERN.test(text),
  },
  amount: { maxLength: 100 },
  reference: {
    maxLength: 64,
    clean: (text) => cleanLine(text).toUpperCase(),
    isValid: (text) => REFERENCE_NUMBER_PATTERN.test(text),
  },
  choice: {},
  country: { isValid: (text) => /^[A-Z]{2}$/.test(text) },
  file: {},
};

const DEFAULT_MAX_LENGTH = 120;

export const maxLengthOf = ({ kind, maxLength }: FormField): number =>
  maxLength ?? FIELD_KIND_RULES[kind].maxLength ?? DEFAULT_MAX_LENGTH;

export function cleanValue({ kind }: FormField, typedValue: string): string {
  return (FIELD_KIND_RULES[kind].clean ?? cleanLine)(typedValue);
}

/**
 * The field's name in error messages, such as `the subject`. The words of the label are lowercased, except abbreviations and
 * Telegram. Set `noun` if a label contains another proper name.
 */
export function fieldNoun({ noun, label }: FormField): string {
  const name = label
    .replace(/\s*[*(].*$/, '')
    .replace(/\b(?!Telegram)[A-Z](?=[a-z])/g, (initial) => initial.toLowerCase());
  return noun ?? `the ${name}`;
}

interface FieldError {
  readonly message: string;
  readonly isMissing: boolean;
}

export function fieldError(field: FormField, typedValue: string): FieldError | null {
  const {
    kind,
    options,
    optional,
    minLength = 0,
    invalid = FIELD_KIND_RULES[kind].invalid,
    missing = invalid,
  } = field;
  const error = (message: string, isMissing = false): FieldError => ({ message, isMissing });
  const text = cleanValue(field, typedValue);
  if (text === '') return optional ? null : error(missing ?? `Enter ${fieldNoun(field)}.`, true);
  const isOffered = options === undefined || Object.hasOwn(options, text);
  const isValid = FIELD_KIND_RULES[kind].isValid?.(text) ?? true;
  const length = characterCount(text);
  if (length < minLength || !isOffered || !isValid) {
    return error(invalid ?? missing ?? `Check ${fieldNoun(field)}.`);
  }
  const maxLength = maxLengthOf(field);
  if (length > maxLength) {
    return error(field.tooLong ?? `Shorten ${fieldNoun(field)} to ${maxLength} characters.`);
  }
  const isTypable = kind === 'lines' ? areTypableLines(text) : isTypableLine(text);
  return isTypable
    ? null
    : error(`Some characters in ${fieldNoun(field)} can’t be used. Delete them, or type the text again.`);
}

export interface NamedFieldError<F extends FormFields> extends FieldError {
  readonly name: TextFieldName<F>;
}

/** The names of the form's fields, except files, in the order of the form. */
export function textFieldNames<F extends FormFields>(fields: F): readonly TextFieldName<F>[] {
  return Object.keys(fields).filter((name): name is TextFieldName<F> => fields[name]?.kind !== 'file');
}

export function fieldErrors<F extends FormFields>(
  fields: F,
  typedValues: Readonly<Record<TextFieldName<F>, string>>,
): readonly NamedFieldError<F>[] {
  return textFieldNames(fields).flatMap((name) => {
    const field = fields[name];
    const error = field ? fieldError(field, typedValues[name]) : null;
    return error ? [{ name, ...error }] : [];
  });
}

/** An empty or missing field becomes null. Values that belong to no field are left out. */
export function toStoredFields<F extends FormFields>(
  fields: F,
  sentValues: { readonly [Name in TextFieldName<F>]?: string | null | undefined },
): StoredFields<F> {
  return Object.fromEntries(
    textFieldNames(fields).map((name) => [name, sentValues[name] || null]),
  ) as StoredFields<F>;
}

export function choiceValues<const Options extends Readonly<Record<string, string>>>(
  options: Options,
): readonly [keyof Options & string, ...(keyof Options & string)[]] {
  return Object.keys(options) as [keyof Options & string, ...(keyof Options & string)[]];
}

export interface TeamField {
  readonly name: string;
  readonly kind: FormFieldKind;
  readonly label: string;
  readonly text: string | null;
}

/** @param countryName returns the name for a country code. Passed in so that pages do not load the long list of countries */
export function teamFields<F extends FormFields>(
  fields: F,
  record: { readonly [Name in TextFieldName<F>]: string | number | null },
  countryName: (code: string) => string = (code) => code,
): readonly TeamField[] {
  return textFieldNames(fields).flatMap((name) => {
    const field = fields[name];
    if (!field) return [];
    const { kind, label, teamLabel = label, options } = field;
    const value = record[name] === null ? null : String(record[name]);
    return [{ name, kind, label: teamLabel, text: value && shownText(kind, value, options, countryName) }];
  });
}

function shownText(
  kind: FormFieldKind,
  value: string,
  options: FormField['options'],
  countryName: (code: string) => string,
): string {
  switch (kind) {
    case 'telegram':
      return `@${value}`;
    case 'choice':
      return options?.[value] ?? value;
    case 'country':
      return countryName(value);
    case 'amount':
      return typedAmountText(value);
    default:
      return value;
  }
}

/** An amount as the applicant typed it. If it is only a number, the unit is added. */
export function typedAmountText(text: string): string {
  return /^[\d.,]+$/.test(text) ? `${text} BD` : text;
}
