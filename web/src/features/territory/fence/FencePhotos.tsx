import { DeleteOutlined, UploadOutlined } from '@ant-design/icons'
import { App, Button, Upload } from 'antd'
import { api, command } from '@/api/client'
import { photoAt } from '@/kit/photo'
import { Photos } from '@/kit/Photos'
import { useCommand } from '@/kit/useCommand'
import { type Fence, stale } from './fence'

const PATH = '/fence/photo'
const PHOTOS_MAX = 3
const FILE_MAX_BYTES = 10 * 1024 * 1024

/** 现场照片: what the place looks like, for those who have to find it; all that the camera wrote about itself is gone. */
export function FencePhotos({ fence: { id, photoIds } }: { fence: Fence }) {
  const { modal, message } = App.useApp()
  const show = useCommand({
    // What tells one file from another names the request.
    run: ({ file }: { file: File; name: string; size: number }, options) => api.upload(PATH, { id }, file, options),
    stale,
    done: '照片已添加',
  })
  const hide = useCommand({ run: command.delete(PATH), stale, done: '照片已移除' })
  const bring = (file: File) => {
    if (file.size > FILE_MAX_BYTES) void message.error(`“${file.name}”超过 10 MB，请压缩后再上传`)
    else show.mutate({ file, name: file.name, size: file.size })
    // The page brings it, not the field.
    return false
  }
  const remove = (photoId: string, name: string) =>
    modal.confirm({
      title: `移除${name}？`,
      content: '移除后不再显示；操作日志中仍可查到。',
      okText: '移除',
      okButtonProps: { danger: true },
      cancelText: '取消',
      onOk: () => hide.mutateAsync({ id, photoId }).catch(() => undefined),
    })
  const photos = photoIds.map((photoId, index) => {
    const name = `照片 ${index + 1}`
    const note = (
      <Button size="small" type="link" danger icon={<DeleteOutlined />} aria-label={`移除${name}`} onClick={() => remove(photoId, name)}>
        移除
      </Button>
    )
    return { id: photoId, name, note }
  })
  return (
    <>
      <Photos photos={photos} of={[PATH, id]} load={(photoId, signal) => photoAt(PATH, { id, photoId }, signal)} none="还没有照片：拍下标线、标志和周边，方便运维和骑行用户找到这里" />
      <Upload accept="image/jpeg,image/png,image/webp" showUploadList={false} beforeUpload={bring} disabled={photos.length >= PHOTOS_MAX || show.isPending}>
        <Button icon={<UploadOutlined />} loading={show.isPending} disabled={photos.length >= PHOTOS_MAX}>
          {photos.length >= PHOTOS_MAX ? `最多 ${PHOTOS_MAX} 张` : '上传照片'}
        </Button>
      </Upload>
      <p className="weak">JPEG、PNG 或 WebP，每张不超过 10 MB；拍摄位置等信息会从照片中去除。</p>
    </>
  )
}
