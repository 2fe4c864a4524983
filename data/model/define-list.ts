import {
  type FormField,
  type FormFieldKind,
  type FormFields,
  type TextName,
  textNames,
} from './forms/field.ts';
import type { SubmissionKind } from './submission-status.ts';

/**
 * The kind of a field decides how its values are validated, sorted, exported and shown.
 * `text`: free text, sorted without regard to case. `lines`: text with line breaks. `code`: an id, address or country,
 * compared exactly. `telegram`: a username without its @. `bd`: BD as decimal text if the portal read it, otherwise as
 * the applicant typed it. `usd`: whole US dollars. `moment`: ISO 8601 in the API, Unix ms in the store.
 */
export type FieldKind =
  | 'text'
  | 'lines'
  | 'code'
  | 'telegram'
  | 'reference'
  | 'bd'
  | 'usd'
  | 'milliseconds'
  | 'moment'
  | 'flag'
  | 'choice';

export interface Field {
  readonly kind: FieldKind;
  /** The values of a choice. */
  readonly values?: readonly [string, ...string[]];
  readonly isNullable?: true;
  /** A description for the OpenAPI document. */
  readonly about?: string;
  /** The order after the first click on its heading; absent when the list cannot be sorted by it. */
  readonly sort?: 'asc' | 'desc';
  /** False keeps the field out of exports. */
  readonly isExported?: false;
}
export type Fields = Readonly<Record<string, Field>>;

/** A field with its label on a screen. */
interface Labelled<Id extends string = string> {
  readonly field: Id;
  readonly label: string;
}

/** A parameter that narrows a list to one of its values. */
interface Filter {
  readonly label: string;
  readonly values: readonly [string, ...string[]];
  readonly about?: string;
}
type Filters = Readonly<Record<string, Filter>>;

type Plain<F extends Field> = F extends { readonly values: readonly (infer Value)[] }
  ? Value
  : F['kind'] extends 'flag'
    ? boolean
    : F['kind'] extends 'usd' | 'milliseconds'
      ? number
      : string;
/** The value of a field in the API. */
export type ValueOf<F extends Field> = F extends { readonly isNullable: true } ? Plain<F> | null : Plain<F>;
/** The fields of a row in the API. */
export type ValuesOf<F extends Fields> = { readonly [Id in keyof F]: ValueOf<F[Id]> };

/** A list of the admin area. The store, the API, its exports and the screens follow from it. */
export interface ListDefinition<
  Id extends string = string,
  Kind extends SubmissionKind | null = SubmissionKind | null,
  RowsIn extends string = string,
  RowFields extends Fields = Fields,
  DetailFields extends Fields = Fields,
  ListFilters extends Filters = Filters,
> {
  /** Used in paths, in the dashboard's URL and as an export type. */
  readonly id: Id;
  /** The response field with the rows. */
  readonly rowsIn: RowsIn;
  /** Its rows in a sentence of the OpenAPI document: `Card applications`. */
  readonly what: string;
  /** The kind of its records; null when its rows are not records. */
  readonly kind: Kind;
  readonly tab: string;
  readonly title: string;
  /** The title of a record's dialog. */
  readonly recordTitle: string;
  /** Shown when the list is empty. */
  readonly empty: string;
  /** In the order of the API and of exports. */
  readonly fields: RowFields;
  /** More fields of a single record and of exports. */
  readonly details: DetailFields;
  /** In the order of the screen. */
  readonly columns: readonly Labelled[];
  /** The column that opens the record. */
  readonly opens: string;
  /** Rows of the record's dialog. */
  readonly facts: readonly Labelled[];
  /** The initial sort, newest first. */
  readonly sortedBy: string;
  readonly filters: ListFilters;
  /** Searched besides name, mail address, reference number, wallet and Telegram username. */
  readonly searchesToo?: string;
  /** Statuses in which a record waits for the team. */
  readonly undecided: readonly string[];
}

/** Declares a list with its exact types. Every named field must be one of the list's. */
export function defineList<
  const Id extends string,
  const Kind extends SubmissionKind | null,
  const RowsIn extends string,
  const RowFields extends Fields,
  const DetailFields extends Fields,
  const ListFilters extends Filters,
>(
  list: ListDefinition<Id, Kind, RowsIn, RowFields, DetailFields, ListFilters> & {
    readonly columns: readonly Labelled<keyof RowFields & string>[];
    readonly facts: readonly Labelled<(keyof RowFields | keyof DetailFields) & string>[];
    readonly opens: keyof RowFields;
    readonly sortedBy: keyof RowFields;
  },
): ListDefinition<Id, Kind, RowsIn, RowFields, DetailFields, ListFilters> {
  return list;
}

/** The sorts of a list: the initial one, then its fields in order. */
export function sortsOf({ fields, sortedBy }: ListDefinition): readonly [string, ...string[]] {
  const others = Object.entries(fields).flatMap(([id, { sort }]) => (sort && id !== sortedBy ? [id] : []));
  return [sortedBy, ...others];
}

/** The fields of an export, in their order. */
export function exportedFields({ fields, details }: ListDefinition): Fields {
  const all = Object.entries({ ...fields, ...details });
  return Object.fromEntries(all.filter(([, { isExported }]) => isExported !== false));
}

type DetailKind<Form extends FormField> = Form['kind'] extends 'wallet' | 'choice' | 'country'
  ? 'code'
  : Form['kind'] extends 'amount'
    ? 'bd'
    : Form['kind'] extends 'telegram'
      ? 'telegram'
      : Form['kind'] extends 'lines'
        ? 'lines'
        : 'text';
type DetailOf<Form extends FormField> = { readonly kind: DetailKind<Form> } & (Form extends { optional: true }
  ? { readonly isNullable: true }
  : unknown);
type DetailsOf<Form extends FormFields, Row> = {
  readonly [Name in Exclude<TextName<Form>, Row>]: DetailOf<Form[Name]>;
};

const DETAIL_KINDS: Partial<Record<FormFieldKind, FieldKind>> = {
  wallet: 'code',
  choice: 'code',
  country: 'code',
  amount: 'bd',
  telegram: 'telegram',
  lines: 'lines',
};

/** The fields of a form that only a list's records and exports have. */
export function formDetails<Form extends FormFields, Row extends Fields>(
  form: Form,
  row: Row,
): DetailsOf<Form, keyof Row> {
  const details = textNames(form).flatMap((name) => {
    const { kind = 'line', optional } = form[name] ?? {};
    if (Object.hasOwn(row, name)) return [];
    return [
      [name, { kind: DETAIL_KINDS[kind] ?? 'text', ...(optional ? { isNullable: true } : {}) }] as const,
    ];
  });
  return Object.fromEntries(details) as DetailsOf<Form, keyof Row>;
}

/** The fields of a form for a record's dialog, in the order of the form, with the team's labels. */
export function formFacts<Form extends FormFields>(form: Form): readonly Labelled<TextName<Form>>[] {
  return textNames(form).map((name) => {
    const { label = name, teamLabel = label } = form[name] ?? {};
    return { field: name, label: teamLabel };
  });
}
