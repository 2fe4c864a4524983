import { expect, type Locator } from 'playwright/test';

/** Waits until a form's error summary links to these fields, in this order. */
export async function expectInvalid(
  summary: Locator,
  form: string,
  fields: readonly string[],
): Promise<void> {
  const links = summary.getByRole('link');
  await expect
    .poll(() => links.evaluateAll((found) => found.map((link) => link.getAttribute('href'))))
    .toEqual(fields.map((field) => `#${form}-${field}`));
}
