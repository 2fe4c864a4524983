import form from '../form/form.module.css';
import type { ChangeState } from './use-change.ts';

/** How the last change went. */
export function ChangeNotice({ state }: { readonly state: ChangeState }) {
  switch (state.kind) {
    case 'failed':
      return (
        <div className={form.failure} role="alert">
          <p className={form.title}>{state.words}</p>
        </div>
      );
    case 'done':
      return (
        <p className={form.banner} role="status">
          {state.words}
        </p>
      );
    default:
      return null;
  }
}
