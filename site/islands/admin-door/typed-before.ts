/** What stands in a field of a form that could be typed into, or filled by the browser, before the script ran. */
export function typedBefore(form: HTMLFormElement | null, name: string): string {
  const input = form?.elements.namedItem(name);
  return input instanceof HTMLInputElement ? input.value : '';
}
