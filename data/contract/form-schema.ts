import * as z from 'zod/mini';
import {
  cleanValue,
  type FormField,
  type FormFields,
  type FormValueOf,
  fieldError,
  fieldNoun,
  maxLengthOf,
  type TextFieldName,
  textFieldNames,
} from '../model/forms/field.ts';

/*
 * The schemas of forms, for the server and the browser, built from the forms' descriptions. They use `zod/mini`, which adds
 * 6 kB gzip to a page instead of zod's 26 kB.
 */

type RequiredFieldSchema<Field extends FormField> = z.ZodMiniType<FormValueOf<Field>, FormValueOf<Field>>;
type FieldSchema<Field extends FormField> = Field extends { readonly optional: true }
  ? z.ZodMiniOptional<z.ZodMiniNullable<z.ZodMiniType<FormValueOf<Field> | '', FormValueOf<Field> | ''>>>
  : RequiredFieldSchema<Field>;

/** The message for a value that is empty or not a string. */
const missingMessage = (field: FormField): string => {
  const { optional, ...required } = field;
  return fieldError(required, '')?.message ?? `Enter ${fieldNoun(field)}.`;
};

/** The text of an optional field may be empty. */
export function textSchema(field: FormField): z.ZodMiniType<string, string> {
  const schema = z.string({ error: missingMessage(field) }).check((payload) => {
    const error = fieldError(field, payload.value);
    if (error) payload.issues.push({ code: 'custom', message: error.message, input: payload.value });
    else payload.value = cleanValue(field, payload.value);
  });
  const minLength = field.optional ? 0 : (field.minLength ?? 1);
  const { label, teamLabel = label, hint } = field;
  const description = hint ? `${teamLabel}. ${hint}` : teamLabel;
  schema.register(z.globalRegistry, { minLength, maxLength: maxLengthOf(field), description });
  return schema;
}

function choiceSchema(options: Readonly<Record<string, string>>, field: FormField): z.ZodMiniType {
  return z.enum([...Object.keys(options), ...(field.optional ? [''] : [])], {
    error: field.optional ? `Choose ${fieldNoun(field)} from the list, or none.` : missingMessage(field),
  });
}

function fieldSchema(field: FormField): z.ZodMiniType {
  const schema = field.options ? choiceSchema(field.options, field) : textSchema(field);
  return field.optional ? z.nullish(schema) : schema;
}

/** Optional fields may be missing, null or empty. */
export function shapeOf<const F extends FormFields>(
  fields: F,
): { [Name in TextFieldName<F>]: FieldSchema<F[Name]> } {
  const schemas = textFieldNames(fields).flatMap((name) => {
    const field = fields[name];
    return field ? [[name, fieldSchema(field)]] : [];
  });
  return Object.fromEntries(schemas);
}
