// @vitest-environment happy-dom
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CardholderField } from '../../../data/model/cardholder.ts';
import { CardholderFields, readEnteredCardholder } from './CardholderFields.tsx';

let root: ReturnType<typeof createRoot>;
let form: HTMLFormElement;
const show = (fields: readonly CardholderField[]) =>
  act(async () => root.render(<CardholderFields fields={fields} />));
const input = (name: string) => form.querySelector<HTMLInputElement>(`[name="${name}"]`);

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  form = document.createElement('form');
  document.body.append(form);
  root = createRoot(form);
});
afterEach(async () => {
  await act(async () => root.unmount());
  form.remove();
  vi.unstubAllGlobals();
});

describe('the cardholder’s fields', () => {
  it('are those that the issuer requires; the phone number has a label, autofill and a hint', async () => {
    await show(['firstName', 'phone', 'acceptsTerms']);
    const names = [...form.querySelectorAll('input')].map(({ name, required }) => [name, required]);
    expect(names).toEqual([
      ['firstName', true],
      ['phone', true],
      ['acceptsTerms', true],
    ]);
    const phone = input('phone');
    expect(form.querySelector(`label[for="${phone?.id}"]`)).not.toBeNull();
    expect([phone?.type, phone?.getAttribute('autocomplete')]).toEqual(['tel', 'tel']);
    expect(form.querySelector(`#${phone?.getAttribute('aria-describedby')}`)).not.toBeNull();
  });

  it('are read without surrounding spaces, and only once all are valid', async () => {
    const fields = ['firstName', 'email', 'acceptsTerms'] as const;
    await show(fields);
    const [firstName, email, acceptsTerms] = fields.map(input);
    if (!firstName || !email || !acceptsTerms) throw new Error('A field is missing.');
    firstName.value = ' Ada ';
    email.value = 'ada@example.com';
    expect(readEnteredCardholder(form, fields)).toBeNull();
    acceptsTerms.checked = true;
    expect(readEnteredCardholder(form, fields)).toEqual({
      ...{ firstName: 'Ada', email: 'ada@example.com', acceptsTerms: true },
    });
    email.value = 'ada';
    expect(readEnteredCardholder(form, fields)).toBeNull();
  });
});
