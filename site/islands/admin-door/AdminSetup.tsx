import { useEffect, useLayoutEffect, useState } from 'react';
import styles from '../form/form.module.css';
import { readSetupState } from './door-calls.ts';
import { SetupForm } from './SetupForm.tsx';
import { takeSetupToken } from './setup-token.ts';

const LOGIN = '/admin/login';
/** Milliseconds that the success is shown before the login opens. */
const SHOWN_FOR = 2_000;

type Stage = 'asking' | 'open' | 'link-needed' | 'closed' | 'created';

/** The set-up of the portal's first admin, which closes once there is one. */
export default function AdminSetup() {
  const [stage, setStage] = useState<Stage>('asking');
  const [token, setToken] = useState<string | null>(null);

  useLayoutEffect(() => {
    // A link that is pasted into the open page changes its fragment alone.
    const take = () => {
      const taken = takeSetupToken();
      if (taken !== null) setToken(taken);
    };
    take();
    addEventListener('hashchange', take);
    return () => removeEventListener('hashchange', take);
  }, []);
  useEffect(() => {
    let isShown = true;
    void readSetupState().then((state) => {
      if (!isShown) return;
      // Where it cannot be read the form stands open: whether it may be used, the server says.
      if (state === null || (state.isOpen && !state.needsLink)) setStage('open');
      else setStage(state.isOpen ? 'link-needed' : 'closed');
    });
    return () => {
      isShown = false;
    };
  }, []);
  useEffect(() => {
    if (stage !== 'created') return;
    const timer = setTimeout(() => location.assign(LOGIN), SHOWN_FOR);
    return () => clearTimeout(timer);
  }, [stage]);

  const form = (
    <SetupForm token={token} onCreated={() => setStage('created')} onClosed={() => setStage('closed')} />
  );
  switch (stage) {
    case 'asking':
      return <p className="script-only">Loading...</p>;
    case 'open':
      return form;
    case 'link-needed':
      return token === null ? <LinkNeeded /> : form;
    case 'closed':
      return <Closed />;
    case 'created':
      return (
        <p className={styles.banner} role="status">
          <strong>Setup Complete!</strong> Admin user created successfully. Redirecting to login...
        </p>
      );
  }
}

function LinkNeeded() {
  return (
    <div className={styles.form}>
      <p>
        The first admin is created on the server itself, or from anywhere through the one-time link that the
        server printed when it started. Open that link, or restart the server for a new one.
      </p>
    </div>
  );
}

function Closed() {
  return (
    <div className={styles.form}>
      <p role="status">An admin exists already, so set-up is closed.</p>
      <p className={styles.ways}>
        <a className="button gold" href={LOGIN}>
          Admin login
        </a>
      </p>
    </div>
  );
}
