import type { FormField, FormFieldKind } from '../../../data/model/forms/field.ts';
import type { Choice } from './Field.tsx';

interface FieldInput {
  readonly type: 'text' | 'email' | 'tel';
  readonly autoComplete?: string;
  readonly inputMode?: 'decimal';
  readonly prefix?: string;
  readonly suffix?: string;
  readonly isMono?: true;
}

const INPUTS: Readonly<Partial<Record<FormFieldKind, Partial<FieldInput>>>> = {
  email: { type: 'email', autoComplete: 'email' },
  phone: { type: 'tel', autoComplete: 'tel' },
  telegram: { prefix: '@', autoComplete: 'off' },
  wallet: { autoComplete: 'off', isMono: true },
  amount: { suffix: 'BD', inputMode: 'decimal', autoComplete: 'off' },
  reference: { autoComplete: 'off', isMono: true },
};

export function inputOf({ kind, autoComplete }: FormField): FieldInput {
  return { type: 'text', ...INPUTS[kind], ...(autoComplete && { autoComplete }) };
}

/** Groups the fields. Each field with a legend starts a new group. */
export function fieldGroups<Field extends { readonly legend?: string }>(
  fields: Readonly<Record<string, Field>>,
): readonly { readonly legend: string | null; readonly fields: readonly (readonly [string, Field])[] }[] {
  const groups: { legend: string | null; fields: (readonly [string, Field])[] }[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const last = groups.at(-1);
    if (field.legend === undefined && last) last.fields.push([name, field]);
    else groups.push({ legend: field.legend ?? null, fields: [[name, field]] });
  }
  return groups;
}

export function choicesOf({ options = {} }: FormField): readonly Choice[] {
  return Object.entries(options).map(([value, label]) => ({ value, label }));
}
