import { AdminPage } from './AdminPage.tsx';
import { Assistant } from './Assistant.tsx';

/** What Duckling could not answer, and what the team added. */
export default function DucklingJournal() {
  return (
    <AdminPage>
      <Assistant />
    </AdminPage>
  );
}
