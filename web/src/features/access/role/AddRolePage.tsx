import { paths } from '@/app/routes'
import { NewRecordPage } from '@/kit/record/RecordPage'
import { RoleForm } from './RoleForm'

export default function AddRolePage() {
  return (
    <NewRecordPage title="新增角色" back={paths.role}>
      {(back) => <RoleForm onSaved={back} />}
    </NewRecordPage>
  )
}
