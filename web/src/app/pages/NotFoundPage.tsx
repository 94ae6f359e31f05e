import { Button, Result } from 'antd'
import { paths } from '../routes'

export default function NotFoundPage() {
  return (
    <main className="bare" style={{ display: 'grid', placeItems: 'center' }}>
      <Result
        status="404"
        title="页面不存在"
        subTitle="地址可能有误，或您的账号没有打开这个页面的权限。"
        extra={
          <Button type="primary" href={`#${paths.home}`}>
            返回首页
          </Button>
        }
      />
    </main>
  )
}
