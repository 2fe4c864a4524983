import type { ReactNode } from 'react';
import { renderToString } from 'react-dom/server';

/** The HTML of an element, without the comments that React inserts between adjacent texts. */
export function htmlOf(element: ReactNode): string {
  return renderToString(element).replaceAll('<!-- -->', '');
}

export function textOf(element: ReactNode): string {
  return htmlOf(element)
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
