import { AdminPage } from './AdminPage.tsx';
import { AssistantReport } from './AssistantReport.tsx';

export default function DucklingJournal() {
  return (
    <AdminPage>
      <AssistantReport />
    </AdminPage>
  );
}
