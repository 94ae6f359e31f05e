import { FenceList } from './FenceList'

/** 停车围栏（腾讯）. */
export default function ParkingFenceTencentPage() {
  return <FenceList key="ParkingFenceTencent" type="parking" title="停车围栏（腾讯）" />
}
