import { useNavigate, useSearchParams } from 'react-router-dom'
import { paths } from '@/app/routes'
import { useFollow } from '@/kit/list/useFollow'
import { RecordPage } from '@/kit/record/RecordPage'
import { ROLE_PATH } from './role'
import { useRoleRecord } from './useRoleRecord'

export default function RoleDetailPage() {
  const [params] = useSearchParams()
  const navigate = useNavigate()
  useFollow('role', [ROLE_PATH])
  const record = useRoleRecord(params.get('id') ?? '', () => void navigate(paths.role))
  return <RecordPage {...record} unnamed="地址中缺少角色编号" back={{ to: paths.role, text: '返回角色列表' }} />
}
