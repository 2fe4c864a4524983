import type { ApplicationStatusBody } from './status-query.ts';

type Status = ApplicationStatusBody['status'];

/** What a status is called, and what it means for the person who waits. */
export const STATUS_WORDS: Readonly<Record<Status, { readonly title: string; readonly text: string }>> = {
  received: { title: 'Received', text: 'It is stored, and the team has been told.' },
  'in-review': { title: 'In review', text: 'Someone of the team is looking at it.' },
  approved: { title: 'Approved', text: 'The team has approved it. What to do next is in your email.' },
  refused: { title: 'Refused', text: 'The team has refused it. The reason is in your email.' },
  'card-issued': { title: 'Card issued', text: 'Your card is made. See it on the virtual card page.' },
};

export const KIND_WORDS: Readonly<Record<ApplicationStatusBody['kind'], string>> = {
  'card-application': 'Card application',
  'verification-request': 'Request for manual verification',
  'loan-application': 'Application for the loan note',
};

/** A moment (ISO 8601) as it is told, in UTC: `'2 Jan 2026, 03:04 UTC'`. */
export function momentWords(moment: string): string {
  const text = new Date(moment).toLocaleString('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  });
  return `${text} UTC`;
}

const FRAGMENT = /^#reference=(BD-\d{8}-\d{6})$/;

/** The reference number that a page's fragment names; empty where it names none. */
export function referenceOfFragment(fragment: string): string {
  return FRAGMENT.exec(fragment)?.[1] ?? '';
}
