import {
  type FormField,
  type FormFieldKind,
  type FormFields,
  type TextFieldName,
  textFieldNames,
} from './forms/field.ts';
import type { SubmissionKind } from './submission-status.ts';

/**
 * The kind of a field determines how its values are validated, sorted, exported and shown.
 * `text`: free text, sorted without regard to case. `lines`: text with line breaks. `code`: an id, address or country,
 * compared exactly. `telegram`: a username without its @. `bd`: BD as decimal text if the portal read it from the chain,
 * otherwise as the applicant typed it. `usd`: whole US dollars. `moment`: ISO 8601 in the API, Unix ms in the store.
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
  /** The allowed values of a `choice`. */
  readonly values?: readonly [string, ...string[]];
  readonly isNullable?: true;
  /** The description of the field in the OpenAPI document. */
  readonly about?: string;
  /** The order after the first click on the field's heading; absent when the list cannot be sorted by the field. */
  readonly sort?: 'asc' | 'desc';
  readonly isExported?: false;
}
export type Fields = Readonly<Record<string, Field>>;

interface LabelledField<Id extends string = string> {
  readonly field: Id;
  readonly label: string;
}

/** A query parameter that selects rows by the value of a field. */
interface Filter {
  readonly label: string;
  readonly values: readonly [string, ...string[]];
  /** Whether the id of an admin is also a valid value. */
  readonly takesAdmin?: true;
  readonly about?: string;
}
const ADMIN_ID_PATTERN = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

export const isFilterValue = ({ values, takesAdmin }: Filter, value: string): boolean =>
  values.includes(value) || (takesAdmin === true && ADMIN_ID_PATTERN.test(value));

type Filters = Readonly<Record<string, Filter>>;

type PlainValue<F extends Field> = F extends { readonly values: readonly (infer Value)[] }
  ? Value
  : F['kind'] extends 'flag'
    ? boolean
    : F['kind'] extends 'usd' | 'milliseconds'
      ? number
      : string;
export type ValueOf<F extends Field> = F extends { readonly isNullable: true }
  ? PlainValue<F> | null
  : PlainValue<F>;
export type ValuesOf<F extends Fields> = { readonly [Id in keyof F]: ValueOf<F[Id]> };

/** A list in the admin area. The store, the API, the exports and the screens are built from it. */
export interface ListDefinition<
  Id extends string = string,
  Kind extends SubmissionKind | null = SubmissionKind | null,
  RowsIn extends string = string,
  RowFields extends Fields = Fields,
  DetailFields extends Fields = Fields,
  ListFilters extends Filters = Filters,
> {
  /** Used in the list's API paths, in the dashboard's URL and in the file name of an export. */
  readonly id: Id;
  /** The field of the response that contains the rows. */
  readonly rowsField: RowsIn;
  /** The name of the rows in the OpenAPI document: `Card applications`. */
  readonly rowsLabel: string;
  /** The kind of the list's records; null when its rows are not records. */
  readonly kind: Kind;
  readonly tab: string;
  readonly title: string;
  readonly recordTitle: string;
  readonly emptyText: string;
  /** The fields of a row, in the order of the API and the exports. */
  readonly fields: RowFields;
  /** Fields that are only in a record's details and in exports. */
  readonly details: DetailFields;
  readonly columns: readonly LabelledField[];
  /** The column with the button that opens the record. */
  readonly openingField: string;
  readonly dialogFields: readonly LabelledField[];
  /** The field that the list is initially sorted by, in descending order. */
  readonly initialSort: string;
  readonly filters: ListFilters;
  /** For the API reference: what a search covers in this list, beyond what it covers in every list. */
  readonly extraSearchedText?: string;
  /** Statuses in which a record waits for the team. */
  readonly undecidedStatuses: readonly string[];
}

/** Lets the compiler reject columns and dialog fields that are not fields of the list. */
export function defineList<
  const Id extends string,
  const Kind extends SubmissionKind | null,
  const RowsIn extends string,
  const RowFields extends Fields,
  const DetailFields extends Fields,
  const ListFilters extends Filters,
>(
  list: ListDefinition<Id, Kind, RowsIn, RowFields, DetailFields, ListFilters> & {
    readonly columns: readonly LabelledField<keyof RowFields & string>[];
    readonly dialogFields: readonly LabelledField<(keyof RowFields | keyof DetailFields) & string>[];
    readonly openingField: keyof RowFields;
    readonly initialSort: keyof RowFields;
  },
): ListDefinition<Id, Kind, RowsIn, RowFields, DetailFields, ListFilters> {
  return list;
}

/** The fields that the list can be sorted by, starting with the initial one. */
export function sortsOf({ fields, initialSort }: ListDefinition): readonly [string, ...string[]] {
  const others = Object.entries(fields).flatMap(([id, { sort }]) => (sort && id !== initialSort ? [id] : []));
  return [initialSort, ...others];
}

export function exportedFields({ fields, details }: ListDefinition): Fields {
  const all = Object.entries({ ...fields, ...details });
  return Object.fromEntries(all.filter(([, { isExported }]) => isExported !== false));
}

const DETAIL_KINDS = {
  line: 'text',
  lines: 'lines',
  email: 'text',
  phone: 'text',
  telegram: 'telegram',
  wallet: 'code',
  amount: 'bd',
  reference: 'text',
  choice: 'code',
  country: 'code',
  file: 'text',
} as const satisfies Record<FormFieldKind, FieldKind>;

type DetailOf<Form extends FormField> = {
  readonly kind: (typeof DETAIL_KINDS)[Form['kind']];
} & (Form extends {
  optional: true;
}
  ? { readonly isNullable: true }
  : unknown);
type DetailsOf<Form extends FormFields, Row> = {
  readonly [Name in Exclude<TextFieldName<Form>, Row>]: DetailOf<Form[Name]>;
};

/** The detail fields of a list: the form's fields that its rows do not have. */
export function formDetails<Form extends FormFields, Row extends Fields>(
  form: Form,
  row: Row,
): DetailsOf<Form, keyof Row> {
  const details = textFieldNames(form).flatMap((name) => {
    const { kind = 'line', optional } = form[name] ?? {};
    if (Object.hasOwn(row, name)) return [];
    return [[name, { kind: DETAIL_KINDS[kind], ...(optional ? { isNullable: true } : {}) }]];
  });
  return Object.fromEntries(details) as DetailsOf<Form, keyof Row>;
}

/** The fields of the record's dialog: in the order of the form, with the labels for the team. */
export function formDialogFields<Form extends FormFields>(
  form: Form,
): readonly LabelledField<TextFieldName<Form>>[] {
  return textFieldNames(form).map((name) => {
    const { label = name, teamLabel = label } = form[name] ?? {};
    return { field: name, label: teamLabel };
  });
}
