import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { adminSearch, SearchResult } from '../../../data/contract/admin-search.ts';
import type { ResponseOf } from '../../../data/contract/call.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import { listDefinition } from '../../../data/model/admin-lists.ts';
import { ADMIN_KEY, ADMIN_QUERY_OPTIONS } from '../admin/admin-calls.ts';
import { adminFetch } from '../admin/admin-session.ts';
import { tabLabel } from '../admin-dashboard/dashboard-route.ts';
import styles from './frame.module.css';

type RecordGroups = ResponseOf<typeof adminSearch>['groups'];

const SEARCH_DELAY_MS = 200;
/** Shorter texts match too many records. */
const MIN_LENGTH = 2;

const searchQuery = (text: string) =>
  queryOptions<RecordGroups>({
    ...ADMIN_QUERY_OPTIONS,
    queryKey: [ADMIN_KEY, PATHS.adminSearch, text],
    queryFn: async ({ signal }) => {
      const response = await adminFetch('POST', PATHS.adminSearch, { signal, payload: { q: text } });
      return ((await response.json()) as ResponseOf<typeof adminSearch>).groups;
    },
    enabled: text.length >= MIN_LENGTH,
  });

/** Searches the records once typing has paused. `note` says how many were found, or why none are shown. */
export function useRecordSearch(text: string): { readonly groups: RecordGroups; readonly note: string } {
  const trimmedText = text.trim();
  const [searchedText, setSearchedText] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSearchedText(trimmedText), SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  }, [trimmedText]);
  const { data, error } = useQuery(searchQuery(searchedText));
  if (trimmedText.length < MIN_LENGTH) return { groups: [], note: '' };
  if (searchedText === trimmedText && error)
    return { groups: [], note: 'The search failed. Type again to retry.' };
  if (searchedText !== trimmedText || data === undefined) return { groups: [], note: 'Searching records…' };
  if (data.length === 0) return { groups: [], note: 'No records found' };
  const count = data.reduce((sum, { total }) => sum + total, 0);
  const isExact = data.every(({ isTotalExact }) => isTotalExact);
  return {
    groups: data,
    note: `${count}${isExact ? '' : ' or more'} ${count === 1 ? 'record' : 'records'} found`,
  };
}

function fieldLabel({ list, field }: SearchResult): string {
  if (field === 'conversation') return 'Conversation';
  const { columns, dialogFields } = listDefinition(list);
  return [...columns, ...dialogFields].find((one) => one.field === field)?.label ?? '';
}

export function RecordResult({ result }: { readonly result: SearchResult }) {
  const { list, referenceNumber, name, createdAt, excerpt } = result;
  return (
    <span className={styles.result}>
      <span>
        <strong>{name}</strong>
        <small>
          {tabLabel(list)} · {referenceNumber} · {createdAt.slice(0, 10)}
        </small>
      </span>
      {excerpt.length === 0 ? null : (
        <small>
          {fieldLabel(result)}:{' '}
          {excerpt.map(({ text, isMatch }, index) => {
            const key = `${index} ${text}`;
            return isMatch ? <mark key={key}>{text}</mark> : <span key={key}>{text}</span>;
          })}
        </small>
      )}
    </span>
  );
}
