import type { ReactNode } from 'react';
import styles from './admin-only.module.css';
import { loginAddress } from './door-address.ts';
import { useSignedIn } from './use-admin-session.ts';

/**
 * Shows its content to an admin who is signed in, and offers the login to anyone else. What may be read, the server
 * decides.
 */
export function AdminOnly({ children }: { readonly children: ReactNode }) {
  const signedIn = useSignedIn();
  switch (signedIn) {
    case 'signed-in':
      return children;
    case 'signed-out':
      return (
        <>
          <p>This page is for the team. Sign in to see it.</p>
          <p className={styles.way}>
            <a className="button gold" href={loginAddress(location)}>
              Admin login
            </a>
          </p>
        </>
      );
    default:
      return <p className="script-only">Loading...</p>;
  }
}
