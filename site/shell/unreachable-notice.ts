import { createButton, createElement } from './elements.ts';

/** What the wallet's notice shows if the portal does not answer. */
export function unreachableNotice(retry: () => void): readonly Node[] {
  return [
    createElement('p', '', 'Could not reach the portal. Check your connection and try again.'),
    createButton('button', retry, 'Retry'),
  ];
}
