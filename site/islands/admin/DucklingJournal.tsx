import { AdminPage } from './AdminPage.tsx';
import { AssistantReport } from './AssistantReport.tsx';

/** What Duckling could not answer, and what the team added. */
export default function DucklingJournal() {
  return (
    <AdminPage>
      <AssistantReport />
    </AdminPage>
  );
}
