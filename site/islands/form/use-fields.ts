import { zodResolver } from '@hookform/resolvers/zod';
import { useState } from 'react';
import { type UseFormReturn, useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { shapeOf } from '../../../data/contract/form-schema.ts';
import type { FileFieldName, FormFields, FormSpec, TextFieldName } from '../../../data/model/forms/field.ts';
import { useHydrated } from '../../data/use-hydrated.ts';

/** The name of a hidden field that only bots fill in. */
export const HONEYPOT = 'website';

export type FieldValues = Record<string, string | File | null>;
export type FormValues<F extends FormFields> = {
  readonly [Name in TextFieldName<F> | typeof HONEYPOT]: string;
} & {
  readonly [Name in FileFieldName<F>]: File | null;
};

export interface FieldsForm {
  readonly spec: FormSpec;
  readonly idPrefix: string;
  readonly hookForm: UseFormReturn<FieldValues>;
  readonly hasHoneypot?: true;
}

export interface FieldsOptions {
  readonly initialValues?: Readonly<Record<string, string>>;
  /** The prefix of the fields' ids; default: the form's name. A form that can appear on a page twice needs unique prefixes. */
  readonly idPrefix?: string;
  /** Returns the error message for a file; null if the file is valid. */
  readonly fileError?: (name: string, file: File | null) => string | null;
}

export const idOf = ({ idPrefix }: Pick<FieldsForm, 'idPrefix'>, name: string): string =>
  `${idPrefix}-${name}`;

function schemaOf({ fields }: FormSpec, fileError: FieldsOptions['fileError']) {
  const files = Object.keys(fields).filter((name) => fields[name]?.kind === 'file');
  const fileSchema = (name: string) =>
    z.custom<File | null>().check(({ value, issues }) => {
      const message = fileError?.(name, value) ?? null;
      if (message !== null) issues.push({ code: 'custom', message, input: value });
    });
  return z.object({
    ...shapeOf(fields),
    ...Object.fromEntries(files.map((name) => [name, fileSchema(name)])),
  });
}

function textTypedBeforeHydration(id: string): string {
  const input = typeof document === 'undefined' ? null : document.getElementById(id);
  return input && 'value' in input ? String(input.value) : '';
}

/** The fields are validated on submit, and after that on each change. */
export function useFields(
  spec: FormSpec,
  { initialValues = {}, idPrefix = spec.name, fileError }: FieldsOptions = {},
): FieldsForm {
  const isHydrated = useHydrated();
  const [resolver] = useState(() =>
    zodResolver(schemaOf(spec, fileError), undefined, { mode: 'sync', raw: true }),
  );
  const [defaultValues] = useState((): FieldValues => {
    const values = Object.entries(spec.fields).map(([name, { kind }]) => {
      if (kind === 'file') return [name, null];
      // During hydration, the element with this id is this form's own field. In a form that is added later, it would be another
      // form's field.
      const typedText = isHydrated ? '' : textTypedBeforeHydration(idOf({ idPrefix }, name));
      return [name, typedText || (initialValues[name] ?? '')];
    });
    return { ...Object.fromEntries(values), [HONEYPOT]: '' };
  });
  const hookForm = useForm<FieldValues>({ resolver, defaultValues, shouldFocusError: false });
  return { spec, idPrefix, hookForm };
}
