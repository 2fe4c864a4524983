import type { ReactNode } from 'react';
import { renderToString } from 'react-dom/server';

/** The HTML of an element, without React's markers between texts. */
export function htmlOf(element: ReactNode): string {
  return renderToString(element).replaceAll('<!-- -->', '');
}

/** The text of an element, with single spaces. */
export function textOf(element: ReactNode): string {
  return htmlOf(element)
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
