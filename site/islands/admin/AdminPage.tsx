import type { ReactNode } from 'react';
import { errorText } from '../../data/call-error.ts';
import { LiveRoot } from '../ui/Live.tsx';
import { RetryButton } from '../ui/ReadStates.tsx';
import styles from './admin.module.css';
import { loginUrl, useSignInState } from './admin-session.ts';

/** Shows its content to signed-in admins, and a login link to others. The server decides which data an admin may read. */
export function AdminPage({ children }: { readonly children: ReactNode }) {
  return (
    <LiveRoot>
      <SignedInOnly>{children}</SignedInOnly>
    </LiveRoot>
  );
}

function SignedInOnly({ children }: { readonly children: ReactNode }) {
  const signInState = useSignInState();
  switch (signInState) {
    case 'signed-in':
      return children;
    case 'signed-out':
      return (
        <>
          <p>This page is for the team. Sign in to see it.</p>
          <p className={styles.actions}>
            <a className="button gold" href={loginUrl(location)}>
              Admin login
            </a>
          </p>
        </>
      );
    default:
      return <p className="script-only">Loading...</p>;
  }
}

export interface ReadErrorProps {
  readonly reading: {
    readonly error: Error | null;
    readonly isFetching: boolean;
    readonly refetch: () => unknown;
  };
  /** The name of the data in the retry button's label, such as `the team`. */
  readonly what: string;
}

export function ReadError({ reading: { error, isFetching, refetch }, what }: ReadErrorProps) {
  if (error === null) return null;
  return (
    <p className={styles.error} role="alert">
      {errorText(error, 'Something went wrong on our side.')}{' '}
      <RetryButton retry={{ run: () => void refetch(), running: isFetching }} what={what} />
    </p>
  );
}

interface LoadedProps<Data> extends ReadErrorProps {
  readonly reading: ReadErrorProps['reading'] & { readonly data: Data | undefined };
  readonly children: (data: Data) => ReactNode;
}

export function Loaded<Data>({ reading, what, children }: LoadedProps<Data>) {
  return (
    <>
      <ReadError reading={reading} what={what} />
      {reading.data === undefined ? reading.error === null && <p>Loading...</p> : children(reading.data)}
    </>
  );
}
